import type { SegmentRow } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { type ContactWrite, mergeContactWrites } from '../contacts/contact-writes.ts';
import { countEventsSql, upsertContactsSql } from '../contacts/upsert-contacts-sql.ts';
import { membershipEventInput, membershipEventsSql } from './membership-events-sql.ts';

export interface MembersChange {
  /** Contacts that became members, or were until now. */
  changed: number;
  /** Addresses of contacts, members before or not. */
  found: string[];
}

const createMissingSql = `
with ${upsertContactsSql},
counted as (select * from contact_flip),
${countEventsSql}
select count(*) filter (where is_new)::int as created from contact`;

/**
 * Creates a contact for each address that the project does not know; the others stay as they are.
 * @param writes without a subscription and without data
 * @returns how many were created
 */
export async function createMissingContacts(
  em: Em,
  writes: readonly ContactWrite[],
  subscribed: boolean,
): Promise<number> {
  const { rows } = mergeContactWrites(writes, subscribed);
  const [row] = await sql<{ created: number }>(em, createMissingSql, [JSON.stringify(rows)]);
  return row?.created ?? 0;
}

// Held until the commit, so that a contact which is deleted right now takes its membership along or has none.
const targetSql = `
  target as materialized (
    select id, email from contacts
    where project_id = ($1::json ->> 'project_id')::uuid and email = any($2::text[])
    order by id for key share
  )`;

const answerSql = (changed: 'entered' | 'departed') => `
select (select count(*)::int from ${changed}) as changed,
  (select coalesce(array_agg(email), '{}') from target) as found`;

const addSql = `
with ${targetSql},
entered as (
  insert into segment_members (segment_id, contact_id)
  select ($1::json ->> 'segment_id')::uuid, id from target
  on conflict do nothing
  returning contact_id
),
departed as (select id as contact_id from target where false),
${membershipEventsSql}
${answerSql('entered')}`;

const removeSql = `
with ${targetSql},
departed as (
  delete from segment_members m using target t
  where m.segment_id = ($1::json ->> 'segment_id')::uuid and m.contact_id = t.id
  returning m.contact_id
),
entered as (select id as contact_id from target where false),
${membershipEventsSql}
${answerSql('departed')}`;

/** Above this a change is added to the kept figure; below, the members are counted. */
const exactlyCounted = 50_000;

/**
 * Adds contacts to a static segment or removes them, with the events of a tracked one, and keeps its count. The
 * segment has to be locked.
 *
 * @param emails normalised; those of no contact of the project are left out
 */
export async function changeStaticMembers(
  em: Em,
  segment: SegmentRow,
  change: 'add' | 'remove',
  emails: readonly string[],
): Promise<MembersChange> {
  const [row] = await sql<MembersChange>(em, change === 'add' ? addSql : removeSql, [
    membershipEventInput(segment, new Date()),
    emails,
  ]);
  const result = row ?? { changed: 0, found: [] };
  await sql(
    em,
    `update segments
     set counted_at = now(), member_count = case
       when member_count > ${exactlyCounted} then member_count + $2
       else (select count(*) from segment_members where segment_id = $1)
     end
     where id = $1`,
    [segment.id, change === 'add' ? result.changed : -result.changed],
  );
  return result;
}
