import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import { countEventsSql, retryWhenContactMissingSql, upsertContactsSql } from './upsert-contacts-sql.ts';

export interface AcceptedRecipient {
  emailId: string;
  /** Normalised. */
  email: string;
  name: string | null;
  /** Id for the contact if it has to be created. */
  contactId: string;
  flipId: string;
  outboxId: string;
}

export interface AcceptedAttachment {
  filename: string;
  contentType: string;
  cid: string | null;
  disposition: 'attachment' | 'inline';
  /** Base64 as it came. */
  content: string;
}

/** One accepted call of `POST /v1/send`. */
export interface AcceptInput {
  projectId: string;
  contentId: string;
  subject: string;
  body: string;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string>;
  templateId: string | null;
  type: 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS';
  /** Data of the request for rendering, stored or not. */
  variables: Record<string, unknown>;
  subscribed: boolean | undefined;
  /** Contact keys to set; null removes a key. */
  patch: Record<string, unknown>;
  recipients: AcceptedRecipient[];
  attachments: AcceptedAttachment[];
  occurredAt: Date;
}

export interface AcceptedEmail {
  emailId: string;
  contactId: string;
}

const acceptSql = `
with input as materialized (
  select * from json_to_recordset($1::json) as t(
    "projectId" uuid, "contentId" uuid, "subject" text, "body" text, "fromEmail" text, "fromName" text,
    "replyTo" text, "headers" jsonb, "templateId" uuid, "type" text, "variables" jsonb, "subscribed" boolean,
    "patch" jsonb, "attachments" json, "occurredAt" timestamptz)
),
recipient as materialized (
  select * from json_to_recordset($2::json) as t(
    "ord" int, "contentId" uuid, "emailId" uuid, "email" text, "name" text, "contactId" uuid, "flipId" uuid,
    "outboxId" uuid)
),
contact_input as (
  select distinct on (i."projectId", r."email")
    i."projectId" as project_id, r."email" as email, r."contactId" as contact_id, i."subscribed" as subscribed,
    false as default_subscribed, i."patch" as patch, r."flipId" as flip_id, i."occurredAt" as occurred_at
  from recipient r
  join input i using ("contentId")
  order by i."projectId", r."email", r."ord"
),
${upsertContactsSql},
counted as (
  select contact_id, project_id, name, id, occurred_at, 1 as times from contact_flip
),
${countEventsSql},
content as (
  insert into email_contents
    (id, project_id, subject, body, from_email, from_name, reply_to, headers, variables, created_at)
  select "contentId", "projectId", "subject", "body", "fromEmail", "fromName", "replyTo", "headers", "variables",
    "occurredAt"
  from input
),
attachment as (
  insert into email_attachments (content_id, position, filename, content_type, cid, disposition, bytes)
  select i."contentId", a.position - 1, a.file ->> 'filename', a.file ->> 'contentType', a.file ->> 'cid',
    a.file ->> 'disposition', decode(a.file ->> 'content', 'base64')
  from input i, json_array_elements(i."attachments") with ordinality as a(file, position)
),
email as (
  insert into emails
    (id, project_id, contact_id, content_id, source, type, template_id, to_email, to_name, from_email, created_at)
  select r."emailId", i."projectId", c.id, i."contentId", 'TRANSACTIONAL', i."type", i."templateId", r."email",
    r."name", i."fromEmail", i."occurredAt"
  from recipient r
  join input i using ("contentId")
  join contact c on c.project_id = i."projectId" and c.email = r."email"
),
command as (
  insert into outbox (id, kind, subject_id, created_at, next_attempt_at)
  select r."outboxId", 'email.dispatch', r."emailId", i."occurredAt", i."occurredAt"
  from recipient r
  join input i using ("contentId")
)
select r."emailId", c.id as "contactId", ${retryWhenContactMissingSql} as retry
from recipient r
join input i using ("contentId")
join contact c on c.project_id = i."projectId" and c.email = r."email"
order by r."ord"`;

/**
 * Accepts a batch of send calls in one statement: contacts, content, attachments, a QUEUED email and a dispatch
 * command per recipient, and the events of changed subscriptions. Calls of one batch have no contact in common.
 *
 * @returns for each call its emails, in the order of its recipients.
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data grows beyond 64 KB, and SQLSTATE 40001
 * when the statement has to be run again.
 */
export async function acceptEmails(em: Em, inputs: AcceptInput[]): Promise<AcceptedEmail[][]> {
  const calls = inputs.map(({ recipients, ...call }) => call);
  const recipients = inputs.flatMap((input) =>
    input.recipients.map((recipient) => ({ ...recipient, contentId: input.contentId })),
  );
  const numbered = recipients.map((recipient, ord) => ({ ...recipient, ord }));
  const rows = await sql<AcceptedEmail>(em, acceptSql, [JSON.stringify(calls), JSON.stringify(numbered)]);
  const answers: AcceptedEmail[][] = [];
  let next = 0;
  for (const input of inputs) {
    answers.push(rows.slice(next, next + input.recipients.length));
    next += input.recipients.length;
  }
  return answers;
}
