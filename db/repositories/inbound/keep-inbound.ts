import type { EmailContent } from '../../../core/inbound/parse-email.ts';
import type { AutomaticReason, ReceivedHeaders } from '../../../core/inbound/received-headers.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import { newId } from '../../../core/new-id.ts';
import type { InboundStatus } from '../../entities/inbound-email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { mergeContactWrites } from '../contacts/contact-writes.ts';
import { countEventsSql, upsertContactsSql } from '../contacts/upsert-contacts-sql.ts';

/** An `email.received` of a project. */
export interface ReceivedEvent {
  id: string;
  projectId: string;
  /** The email of ours that it answers, otherwise the received one. */
  emailId: string;
  data: JsonObject;
  occurredAt: Date;
}

/** Journals an event that the feed shows and nothing else: no workflow starts, no wait ends, no segment counts it. */
export async function noteReceived(em: Em, event: ReceivedEvent, contactId: string | null): Promise<void> {
  await sql(
    em,
    `insert into events (id, project_id, name, kind, contact_id, email_id, data, occurred_at)
     values ($1, $2, 'email.received', 'activity', $3, $4, $5, $6)`,
    [event.id, event.projectId, contactId, event.emailId, JSON.stringify(event.data), event.occurredAt],
  );
}

const heardSql = `
with ${upsertContactsSql},
received as (
  insert into events (id, project_id, name, kind, contact_id, email_id, data, occurred_at)
  select $2::uuid, i.project_id, 'email.received', $3, c.id, $4::uuid, $5::jsonb, $6::timestamptz
  from contact_input i
  join contact c on c.ord = i.ord
  returning id, project_id, name, kind, contact_id, occurred_at
),
counted as (
  select id, project_id, name, contact_id, occurred_at from received where kind = 'emitted'
),
${countEventsSql}
select id from contact`;

/**
 * Makes the sender a contact, if the project has none of that address, and journals the event. A contact that there
 * is stays as it is, because nobody has proven who wrote.
 *
 * @param isHeard whether workflows and waits hear of it; otherwise the feed shows it and nothing else
 * @returns the id of the contact
 */
export async function receiveFrom(
  em: Em,
  sender: string,
  event: ReceivedEvent,
  isHeard: boolean,
): Promise<string> {
  const { rows } = mergeContactWrites(
    [
      {
        projectId: event.projectId,
        email: sender,
        contactId: newId(),
        subscribed: undefined,
        patch: {},
        flipId: newId(),
        occurredAt: event.occurredAt,
      },
    ],
    true,
  );
  const [contact] = await sql<{ id: string }>(em, heardSql, [
    JSON.stringify(rows),
    event.id,
    isHeard ? 'emitted' : 'activity',
    event.emailId,
    JSON.stringify(event.data),
    event.occurredAt,
  ]);
  if (contact === undefined) throw new Error('A contact that was written is missing in the answer');
  return contact.id;
}

export interface ReadInbound {
  status: InboundStatus;
  contactId: string | null;
  emailId: string | null;
  headers: ReceivedHeaders;
  automatic: AutomaticReason | null;
  content: EmailContent | null;
}

/** Writes what was read of an email, and drops what it was read from. */
export async function recordInbound(em: Em, id: string, email: ReadInbound): Promise<void> {
  const { headers, content } = email;
  await sql(
    em,
    `update inbound_emails
     set status = $2, contact_id = $3, email_id = $4, automatic = $5, from_email = $6, from_name = $7, subject = $8,
       message_id = $9, in_reply_to = $10, text = $11, html = $12, attachments = $13::jsonb, has_content = $14,
       source = null, headers = null, raw = null, bucket = null, object_key = null
     where id = $1`,
    [
      id,
      email.status,
      email.contactId,
      email.emailId,
      email.automatic,
      headers.from,
      headers.fromName,
      headers.subject,
      headers.messageId,
      headers.inReplyTo,
      content?.text ?? null,
      content?.html ?? null,
      JSON.stringify(content?.attachments ?? []),
      content !== null,
    ],
  );
}
