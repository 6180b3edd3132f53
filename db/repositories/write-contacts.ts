import type { ContactRow } from '../entities/contact.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import { countEventsSql, retryWhenContactMissingSql, upsertContactsSql } from './upsert-contacts-sql.ts';

export interface UpsertContactInput {
  projectId: string;
  /** Normalised. */
  email: string;
  contactId: string;
  /** Undefined keeps the state; a new contact is subscribed by default. */
  subscribed: boolean | undefined;
  /** Keys to set; null removes a key. */
  patch: Record<string, unknown>;
  flipId: string;
  occurredAt: Date;
}

const upsertSql = `
with contact_input as materialized (
  select $1::uuid as project_id, $2::text as email, $3::uuid as contact_id, $4::boolean as subscribed,
    true as default_subscribed, $5::jsonb as patch, $6::uuid as flip_id, $7::timestamptz as occurred_at
),
${upsertContactsSql},
counted as (select contact_id, project_id, name, id, occurred_at, 1 as times from contact_flip),
${countEventsSql}
select c.id, c.is_new as "isNew", ${retryWhenContactMissingSql} as retry from contact c`;

/** Creates or patches a contact by its address. @throws pg.DatabaseError as `trackEvents` does */
export async function upsertContact(
  em: Em,
  input: UpsertContactInput,
): Promise<{ id: string; isNew: boolean }> {
  const [row] = await sql<{ id: string; isNew: boolean }>(em, upsertSql, [
    input.projectId,
    input.email,
    input.contactId,
    input.subscribed ?? null,
    JSON.stringify(input.patch),
    input.flipId,
    input.occurredAt,
  ]);
  if (row === undefined) throw new Error('The upsert of a contact answered no row');
  return row;
}

export interface PatchContactInput {
  projectId: string;
  id: string;
  email: string | undefined;
  subscribed: boolean | undefined;
  patch: Record<string, unknown>;
  flipId: string;
  occurredAt: Date;
}

const patchSql = `
with patched as (
  update contacts c
  set email = coalesce($3, c.email),
    data = patch_contact_data(c.data, $5::jsonb),
    subscribed = coalesce($4::boolean, c.subscribed),
    snoozed_until = case when $4::boolean is null then c.snoozed_until end,
    suppression_reason = case when $4 then null else c.suppression_reason end,
    suppressed_at = case when $4 then null else c.suppressed_at end,
    suppressed_email_id = case when $4 then null else c.suppressed_email_id end,
    updated_at = $7
  where c.project_id = $1 and c.id = $2
  returning c.*, old.subscribed as was_subscribed
),
flip as (
  insert into events (id, project_id, name, kind, contact_id, occurred_at)
  select $6, project_id, case when subscribed then 'contact.subscribed' else 'contact.unsubscribed' end, 'emitted',
    id, $7
  from patched
  where subscribed <> was_subscribed
  returning id, project_id, name, contact_id, occurred_at
),
counted as (select contact_id, project_id, name, id, occurred_at, 1 as times from flip),
${countEventsSql}
select id, project_id as "projectId", email, subscribed, snoozed_until as "snoozedUntil", data,
  suppression_reason as "suppressionReason", suppressed_at as "suppressedAt",
  suppressed_email_id as "suppressedEmailId", created_at as "createdAt", updated_at as "updatedAt"
from patched`;

/**
 * Patches a contact by its id and journals a change of its subscription.
 * @returns the contact, undefined when it is not the project's
 * @throws pg.DatabaseError `contacts_project_email` when another contact has the address, `contacts_data_size`
 */
export async function patchContact(em: Em, input: PatchContactInput): Promise<ContactRow | undefined> {
  const [row] = await sql<ContactRow>(em, patchSql, [
    input.projectId,
    input.id,
    input.email ?? null,
    input.subscribed ?? null,
    JSON.stringify(input.patch),
    input.flipId,
    input.occurredAt,
  ]);
  return row;
}
