import { z } from 'zod';
import { isSenderVerifiedSql } from '../../fragments/is-sender-verified-sql.ts';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

export interface WorkflowEmail {
  emailId: string;
  contentId: string;
  projectId: string;
  workflowId: string;
  contactId: string;
  templateId: string;
  to: string | null;
  variables: { event: Record<string, unknown>; context: Record<string, unknown> };
  hops: number;
}

/**
 * In milliseconds. Emails queued in one window become due together, so that Temporal runs one batch workflow for all of
 * them.
 */
const windowMs = 200;

/**
 * More than the number of database connections, each of which may queue an email. With more quota left than this, no
 * exclusive lock is needed.
 */
const spareEmails = 1_000;

const queuedRow = z.object({ isVerified: z.boolean(), isTaken: z.boolean(), dueInMs: z.number().nullable() });

/**
 * Queues the email of a SEND_EMAIL step from the template's current content, with an outbox command. Whether the
 * contact may receive it is checked at the hand-over, as for every email. One statement, so that quota is taken only
 * for an email that is written.
 *
 * An email to an address other than the contact's is transactional, whatever the template: a note to a colleague does
 * not depend on the contact's subscription, and must not have links that end it.
 *
 * The first email of a template on a day stores the content under its hash; later ones refer to it. One content per
 * day, so that it can be deleted when the last of its emails is past its retention, without looking for emails that
 * still need it.
 *
 * @returns when the command is due, in milliseconds; `gone` when the template or contact was deleted; `not verified`
 * when the sender's domain is not, or no longer, verified for the project; `beyond the limit` when the monthly quota is
 * used up
 */
export async function queueWorkflowEmail(
  em: Em,
  email: WorkflowEmail,
): Promise<{ dueInMs: number } | 'gone' | 'not verified' | 'beyond the limit'> {
  const sql = `with source as materialized (
       select t.subject, t.body, t.from_email, t.from_name, t.reply_to, coalesce($7, c.email) as to_email,
         coalesce($7 <> c.email, false) as custom_recipient,
         case when $7 <> c.email then 'TRANSACTIONAL' else t.type end as type,
         md5(concat_ws(E'\x1f', t.id, current_date, t.subject, t.body, t.from_email, coalesce(t.from_name, ''),
           coalesce(t.reply_to, '')))::uuid as template_content_id,
         ${isSenderVerifiedSql('$3', 't.from_email')} as is_verified
       from templates t
       join contacts c on c.project_id = t.project_id and c.id = $5
       where t.project_id = $3 and t.id = $6
     ),
     allowance as materialized (
       select is_verified,
         case when is_verified then take_emails($3, 'workflows', 1, ${spareEmails}) else false end as is_taken
       from source
     ),
     shared as (
       insert into template_contents (id, project_id, subject, body, from_email, from_name, reply_to)
       select template_content_id, $3, subject, body, from_email, from_name, reply_to from source, allowance
       where is_taken
       on conflict (id) do nothing
     ),
     content as (
       insert into message_contents (id, project_id, template_content_id, variables)
       select $2, $3, template_content_id, $8::jsonb from source, allowance where is_taken
     ),
     command as (
       insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
       select uuidv7(), 'email.dispatch', $1, $3, date_bin($9, clock_timestamp(), timestamptz 'epoch') + $9::interval
       from allowance
       where is_taken
       returning extract(epoch from next_attempt_at - clock_timestamp())::float8 * 1000 as due_in_ms
     ),
     email as (
       insert into emails (id, project_id, contact_id, content_id, source, type, template_id, workflow_id, to_email,
         custom_recipient, from_email, hops)
       select $1, $3, $5, $2, 'WORKFLOW', type, $6, $4, to_email, custom_recipient, from_email, $10::smallint from source, allowance where is_taken
     )
     select is_verified as "isVerified", is_taken as "isTaken", (select due_in_ms from command) as "dueInMs" from allowance`;
  const row = await queryFirst(em, queuedRow, sql, [
    email.emailId,
    email.contentId,
    email.projectId,
    email.workflowId,
    email.contactId,
    email.templateId,
    email.to,
    JSON.stringify(email.variables),
    `${windowMs} milliseconds`,
    email.hops,
  ]);
  if (row === undefined) return 'gone';
  if (!row.isVerified) return 'not verified';
  return row.isTaken ? { dueInMs: row.dueInMs ?? 0 } : 'beyond the limit';
}
