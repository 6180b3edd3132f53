import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface WorkflowEmail {
  emailId: string;
  contentId: string;
  projectId: string;
  workflowId: string;
  contactId: string;
  templateId: string;
  /** In place of the contact's own address. */
  to: string | null;
  variables: { event: Record<string, unknown>; context: Record<string, unknown> };
  /** Of its events. */
  hops: number;
}

/**
 * Emails of steps that are queued in the same such window, in milliseconds, are due together: one batch takes them, and
 * Temporal has one workflow to run in place of one for each.
 */
const windowMs = 200;

/**
 * More than the database has connections, of which each can be about to queue one email: while so many are left of a
 * limit, nobody has to wait for anybody.
 */
const spareEmails = 1_000;

/**
 * Queues an email of a SEND_EMAIL step as its template stands now, with its dispatch command. A contact that is
 * suppressed or not subscribed is looked at when the email is handed over, as for every other email.
 *
 * @returns when the command is due, in milliseconds from now; nothing was queued when the template or the contact is
 * gone, or when the project may send no more emails of workflows in this month
 */
export async function queueWorkflowEmail(
  em: Em,
  email: WorkflowEmail,
): Promise<{ dueInMs: number } | 'gone' | 'beyond the limit'> {
  const [row] = await sql<{ isTaken: boolean; dueInMs: number | null }>(
    em,
    `with source as materialized (
       select t.subject, t.body, t.from_email, t.from_name, t.reply_to, t.type, coalesce($7, c.email) as to_email
       from templates t
       join contacts c on c.project_id = t.project_id and c.id = $5
       where t.project_id = $3 and t.id = $6
     ),
     permit as materialized (
       select take_emails($3, 'workflows', 1, ${spareEmails}) as is_taken from source
     ),
     content as (
       insert into email_contents (id, project_id, subject, body, from_email, from_name, reply_to, variables)
       select $2, $3, subject, body, from_email, from_name, reply_to, $8::jsonb from source, permit where is_taken
     ),
     command as (
       insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
       select uuidv7(), 'email.dispatch', $1, $3, date_bin($9, clock_timestamp(), timestamptz 'epoch') + $9::interval
       from permit
       where is_taken
       returning extract(epoch from next_attempt_at - clock_timestamp())::float8 * 1000 as due_in_ms
     ),
     email as (
       insert into emails (id, project_id, contact_id, content_id, source, type, template_id, workflow_id, to_email,
         from_email, hops)
       select $1, $3, $5, $2, 'WORKFLOW', type, $6, $4, to_email, from_email, $10::smallint from source, permit where is_taken
     )
     select is_taken as "isTaken", (select due_in_ms from command) as "dueInMs" from permit`,
    [
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
    ],
  );
  if (row === undefined) return 'gone';
  return row.isTaken ? { dueInMs: row.dueInMs ?? 0 } : 'beyond the limit';
}
