import { z } from 'zod';
import type { AttachmentDisposition } from '../../../core/attachment-disposition.ts';
import type { ContentType } from '../../../core/content-types.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { countUsageSql } from '../../fragments/count-usage-sql.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { type ContactWrite, mergeContactWrites, toContactInput } from '../contacts/merge-contact-writes.ts';

export interface AcceptedRecipient {
  emailId: string;
  email: string;
  name: string | null;
  contactId: string;
  flipId: string;
  outboxId: string;
}

export interface AcceptedAttachment {
  filename: string;
  contentType: string;
  cid: string | null;
  disposition: AttachmentDisposition;
  bytes: Buffer;
}

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
  type: ContentType;
  variables: Record<string, unknown>;
  /** Whether `takeTransactional` has already counted the emails against the limit. */
  isCounted?: boolean;
  subscribed: boolean | undefined;
  patch: JsonObject;
  recipients: AcceptedRecipient[];
  attachments: AcceptedAttachment[];
  occurredAt: Date;
}

export interface AcceptedEmail {
  emailId: string;
  contactId: string;
}

const acceptSql = `
with call as materialized (
  select * from json_to_recordset($2::json) as t(
    ord int, "projectId" uuid, "contentId" uuid, "subject" text, "body" text, "fromEmail" text, "fromName" text,
    "replyTo" text, "headers" jsonb, "templateId" uuid, "type" text, "variables" jsonb, "attachments" json,
    "occurredAt" timestamptz)
),
recipient as materialized (
  select * from json_to_recordset($3::json) as t(
    call int, contact int, "emailId" uuid, "email" text, "name" text, "outboxId" uuid)
),
${upsertContactsSql(contactInputSql('$6::text'))},
${countEventsSql(`select f.* from contact_flip f, ${matchLimitSql('$7::text')} matches`)},
content as (
  insert into message_contents
    (id, project_id, subject, body, from_email, from_name, reply_to, headers, variables, created_at)
  select "contentId", "projectId", "subject", "body", "fromEmail", "fromName", "replyTo", "headers", "variables",
    "occurredAt"
  from call
),
attachment as (
  insert into email_attachments (content_id, position, filename, content_type, cid, disposition, bytes)
  select call."contentId", a.position - 1, a.file ->> 'filename', a.file ->> 'contentType', a.file ->> 'cid',
    a.file ->> 'disposition', substring($5::bytea from (a.file ->> 'start')::int for (a.file ->> 'length')::int)
  from call, json_array_elements(call."attachments") with ordinality as a(file, position)
),
email as (
  insert into emails
    (id, project_id, contact_id, content_id, source, type, template_id, to_email, to_name, from_email, created_at)
  select r."emailId", call."projectId", c.id, call."contentId", 'TRANSACTIONAL', call."type", call."templateId",
    r."email", r."name", call."fromEmail", call."occurredAt"
  from recipient r
  join call on call.ord = r.call
  join contact c on c.ord = r.contact
),
usage as (${countUsageSql(
  'transactional',
  // Only after the contacts are locked.
  `select "projectId" as project_id, now() as at, "emails" as emails
   from json_to_recordset($4::json) as t("projectId" uuid, "emails" int)
   where exists (select from contact)`,
)}
),
command as (
  insert into outbox (id, kind, subject_id, project_id, created_at, next_attempt_at)
  select r."outboxId", 'email.dispatch', r."emailId", call."projectId", call."occurredAt",
    -- The clock of the calling process may be ahead.
    least(call."occurredAt", now())
  from recipient r
  join call on call.ord = r.call
)
select id from contact order by ord`;

const idRow = z.object({ id: z.uuid() });

function toContactWrites(input: AcceptInput): ContactWrite[] {
  const { projectId, subscribed, patch, occurredAt } = input;
  return input.recipients.map(({ email, contactId, flipId }) => {
    return { projectId, email, contactId, subscribed, patch, flipId, occurredAt };
  });
}

/**
 * Concatenates all attachments into one binary parameter: base64 in JSON would be copied four times here and in
 * Postgres. Each attachment gets its offset, counted from 1.
 */
function layOutAttachments(inputs: readonly AcceptInput[]) {
  const parts: Buffer[] = [];
  let start = 1;
  const placed = inputs.map(({ attachments }) =>
    attachments.map(({ bytes, ...file }) => {
      const place = { ...file, start, length: bytes.length };
      parts.push(bytes);
      start += bytes.length;
      return place;
    }),
  );
  const [first = Buffer.alloc(0), ...others] = parts;
  return { placed, bytes: others.length === 0 ? first : Buffer.concat(parts) };
}

function toUsage(inputs: readonly AcceptInput[]): { projectId: string; emails: number }[] {
  const emails = new Map<string, number>();
  for (const { projectId, recipients, isCounted } of inputs) {
    if (isCounted !== true) emails.set(projectId, (emails.get(projectId) ?? 0) + recipients.length);
  }
  return [...emails].map(([projectId, count]) => ({ projectId, emails: count }));
}

/**
 * Accepts a batch of send calls in one statement: contacts, content, attachments, one QUEUED email and dispatch command
 * per recipient, and the events of changed subscriptions. Calls that set the subscription of one contact must agree.
 *
 * @param lockMs lock timeout; by default that of the session
 * @returns the emails of each call, in the order of its recipients
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data would exceed 64 KB; as `matchLimitSql`
 */
export async function acceptEmails(
  em: Em,
  inputs: AcceptInput[],
  lockMs?: number,
): Promise<AcceptedEmail[][]> {
  const { rows, ordOf } = mergeContactWrites(inputs.flatMap(toContactWrites), false);
  const attachments = layOutAttachments(inputs);
  const calls = inputs.map(({ recipients, patch, subscribed, isCounted, ...call }, ord) => ({
    ...call,
    attachments: attachments.placed[ord],
    ord,
  }));
  const recipients = inputs
    .flatMap((input, call) => input.recipients.map((recipient) => ({ ...recipient, call })))
    .map((recipient, index) => ({ ...recipient, contact: ordOf[index] }));
  const parameters = [calls, recipients, toUsage(inputs)].map((parameter) => JSON.stringify(parameter));
  const contacts = await preparedQuery(em, 'accept_emails', idRow, acceptSql, [
    toContactInput(rows),
    ...parameters,
    attachments.bytes,
    lockMs?.toString() ?? null,
    matchLimit(inputs.length, lockMs !== undefined),
  ]);
  const answers: AcceptedEmail[][] = inputs.map(() => []);
  for (const { call, contact, emailId } of recipients) {
    const contactId = contacts[contact ?? -1]?.id;
    if (contactId === undefined) throw new Error('The statement returned no row for a written contact');
    answers[call]?.push({ emailId, contactId });
  }
  return answers;
}
