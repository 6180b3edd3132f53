import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import { countEventsSql, retryWhenContactMissingSql, upsertContactsSql } from './upsert-contacts-sql.ts';

/** An event of one contact, and what it changes on the contact. */
export interface TrackInput {
  projectId: string;
  /** Normalised. */
  email: string;
  /** Id for the contact if it has to be created. */
  contactId: string;
  /** Undefined keeps the state; a new contact is subscribed by default. */
  subscribed: boolean | undefined;
  /** Keys to set; null removes a key. */
  patch: Record<string, unknown>;
  eventId: string;
  eventName: string;
  eventData: Record<string, unknown>;
  /** Id for the event of a change of the subscription. */
  flipId: string;
  occurredAt: Date;
}

export interface TrackedEvent {
  contactId: string;
  isNewContact: boolean;
}

const trackSql = `
with input as materialized (
  select * from json_to_recordset($1::json) as t(
    "ord" int, "projectId" uuid, "email" text, "contactId" uuid, "subscribed" boolean, "patch" jsonb,
    "eventId" uuid, "eventName" text, "eventData" jsonb, "flipId" uuid, "occurredAt" timestamptz)
),
contact_input as (
  select "projectId" as project_id, "email" as email, "contactId" as contact_id, "subscribed" as subscribed,
    true as default_subscribed, "patch" as patch, "flipId" as flip_id, "occurredAt" as occurred_at
  from input
),
${upsertContactsSql},
tracked as (
  insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
  select i."eventId", i."projectId", i."eventName", 'tracked', c.id, i."eventData", i."occurredAt"
  from input i
  join contact c on c.project_id = i."projectId" and c.email = i."email"
  returning id, project_id, name, contact_id, occurred_at
),
counted as (
  select contact_id, project_id, name, id, occurred_at, 1 as times from tracked
  union all
  select contact_id, project_id, name, id, occurred_at, 1 as times from contact_flip
),
${countEventsSql}
select c.id as "contactId", c.is_new as "isNewContact", ${retryWhenContactMissingSql} as retry
from input i
join contact c on c.project_id = i."projectId" and c.email = i."email"
order by i."ord"`;

/**
 * Writes a batch of tracked events: contacts, journal and statistics in one statement. The events of one batch
 * are of different contacts.
 *
 * @returns a row per input, in its order.
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data grows beyond 64 KB, and SQLSTATE 40001
 * when the statement has to be run again.
 */
export async function trackEvents(em: Em, inputs: TrackInput[]): Promise<TrackedEvent[]> {
  const rows = inputs.map((input, ord) => ({ ...input, ord }));
  return sql<TrackedEvent>(em, trackSql, [JSON.stringify(rows)]);
}
