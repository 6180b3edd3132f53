import { z } from 'zod';
import type { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { execute, queryRow } from '../../sql.ts';
import { membershipEventInput, membershipEventsSql } from './membership-events-sql.ts';

const changeSchema = z.object({ changed: z.int(), found: z.array(z.string()) });

// Locked until the commit, so that a contact deleted concurrently also loses its membership.
const targetSql = `
  target as materialized (
    select id, email from contacts
    where project_id = ($1::json -> 0 ->> 'project_id')::uuid and email = any($2::text[])
    order by project_id, email for key share
  )`;

const answerSql = (changed: 'entered' | 'departed') => `
select (select count(*)::int from ${changed}) as changed,
  (select coalesce(array_agg(email), '{}') from target) as found`;

const addSql = `
with ${targetSql},
entered as (
  insert into segment_members (segment_id, contact_id)
  select ($1::json -> 0 ->> 'segment_id')::uuid, id from target
  on conflict do nothing
  returning segment_id, contact_id
),
departed as (select id as segment_id, id as contact_id from target where false),
${membershipEventsSql('0')}
${answerSql('entered')}`;

const removeSql = `
with ${targetSql},
departed as (
  delete from segment_members m using target t
  where m.segment_id = ($1::json -> 0 ->> 'segment_id')::uuid and m.contact_id = t.id
  returning m.segment_id, m.contact_id
),
entered as (select id as segment_id, id as contact_id from target where false),
${membershipEventsSql('0')}
${answerSql('departed')}`;

/** Above this, the change is added to the stored count; up to it, members are recounted. */
const maxCountedMembers = 50_000;

/**
 * Adds or removes contacts of a static segment that the transaction has locked, journals the changes if the segment is
 * tracked, and updates its count.
 *
 * @param emails normalized; unknown addresses are ignored
 */
export async function changeStaticMembers(
  em: Em,
  segment: Segment,
  change: 'add' | 'remove',
  emails: readonly string[],
) {
  const parameters = [membershipEventInput([segment], new Date()), emails];
  const result = await queryRow(em, changeSchema, change === 'add' ? addSql : removeSql, parameters);
  const sql = `update segments
     set counted_at = now(), member_count = case
       when member_count > ${maxCountedMembers} then member_count + $2
       else (select count(*) from segment_members where segment_id = $1)
     end
     where id = $1`;
  await execute(em, sql, [segment.id, change === 'add' ? result.changed : -result.changed]);
  return result;
}
