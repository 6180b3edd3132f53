import { z } from 'zod';
import { newId } from '../../../core/new-id.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import { liftSuppressionSql } from '../../fragments/lift-suppression-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { query, queryFirst, queryRow } from '../../sql.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';
import { type ContactWrite, creationOf, mergeContactWrites } from './merge-contact-writes.ts';

export interface PatchContactInput {
  projectId: string;
  id: string;
  email: string | undefined;
  subscribed: boolean | undefined;
  patch: Record<string, unknown>;
  occurredAt: Date;
  by?: { workflowId: string; hops: number };
}

const patchSql = `
with target as materialized (
  select * from contacts where project_id = $1 and id = $2 for no key update
),
patched as (
  update contacts c
  set email = coalesce($3, c.email),
    data = (c.data - $5::text[]) || $6::jsonb,
    subscribed = coalesce($4::boolean, c.subscribed),
    snoozed_until = case when $4::boolean is null then c.snoozed_until end,
    ${liftSuppressionSql('$4')},
    updated_at = ${laterThanSql('$8', 't.updated_at')},
    moved_hops = $10::smallint,
    moved_at = case when $10::smallint is not null then $8::timestamptz end
  from target t
  where c.id = t.id
    and (t.email <> $3
      or (t.data - $5::text[]) || $6::jsonb <> t.data
      or ($4::boolean is not null and (t.subscribed <> $4 or t.snoozed_until is not null)))
  returning new.*, old.subscribed <> new.subscribed as is_flipped
),
flip as (
  insert into events (id, project_id, name, kind, contact_id, workflow_id, occurred_at, hops)
  select $7, project_id, case when subscribed then 'contact.subscribed' else 'contact.unsubscribed' end, 'emitted',
    id, $9::uuid, $8, coalesce($10::smallint, 0)
  from patched
  where is_flipped
  returning id, project_id, name, contact_id, occurred_at
),
${countEventsSql('select * from flip')}
select ${contactColumns} from patched
union all
select ${contactColumns} from target where id not in (select id from patched)`;

/**
 * Patches a contact and journals a change of its subscription. Skips the write when nothing changes. One statement,
 * because the patch applies to the data under the lock, together with the event, its statistics and the executions it
 * starts.
 *
 * @returns undefined when the project has no such contact
 * @throws pg.DatabaseError `contacts_project_email` when another contact has the address; `contacts_data_size`
 */
export function patchContact(em: Em, input: PatchContactInput): Promise<ContactRow | undefined> {
  const patch = Object.entries(input.patch);
  const set = patch.filter(([, value]) => value !== null);
  const removed = patch.filter(([, value]) => value === null).map(([key]) => key);
  return queryFirst(em, contactRow, patchSql, [
    input.projectId,
    input.id,
    input.email ?? null,
    input.subscribed ?? null,
    removed,
    JSON.stringify(Object.fromEntries(set)),
    newId(),
    input.occurredAt,
    input.by?.workflowId ?? null,
    input.by?.hops ?? null,
  ]);
}

const upsertSql = `
with ${upsertContactsSql(contactInputSql())},
${countEventsSql('select * from contact_flip')}
select id, is_new as "isNew" from contact`;

const writtenRow = z.object({ id: z.uuid(), isNew: z.boolean() });

const inputOf = (writes: readonly ContactWrite[], newSubscribed: boolean) =>
  JSON.stringify(mergeContactWrites(writes, newSubscribed).rows);

/**
 * Creates or patches a contact by address; new contacts are subscribed by default. Contact, journal and statistics
 * change together, in the common lock order.
 *
 * @throws pg.DatabaseError `contacts_data_size` when its data would exceed 64 KB
 */
export function upsertContact(em: Em, write: ContactWrite) {
  return queryRow(em, writtenRow, upsertSql, [inputOf([write], true)]);
}

/** Creates contacts for unknown addresses and returns their number; existing contacts are not changed. */
export async function createMissingContacts(
  em: Em,
  projectId: string,
  emails: readonly string[],
  subscribed: boolean,
): Promise<number> {
  const now = new Date();
  const creations = emails.map((email) => creationOf(projectId, email, now));
  const written = await query(em, writtenRow, upsertSql, [inputOf(creations, subscribed)]);
  return written.filter(({ isNew }) => isNew).length;
}
