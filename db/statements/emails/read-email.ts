import { z } from 'zod';
import { attachmentDispositions } from '../../../core/attachment-disposition.ts';
import { firstEventIdSince } from '../../fragments/first-event-since.ts';
import type { Em } from '../../orm.ts';
import { query, queryColumn, queryFirst } from '../../sql.ts';
import { type LoggedEmail, loggedEmailRow, loggedEmailsSql } from './email-log-row.ts';

export function readEmail(em: Em, projectId: string, id: string): Promise<LoggedEmail | undefined> {
  const sql = loggedEmailsSql('select * from emails where id = $2 and project_id = $1');
  return queryFirst(em, loggedEmailRow, sql, [projectId, id]);
}

const names = ['email.delivery', 'email.open', 'email.click', 'email.bounce', 'email.complaint'] as const;
const feedNames = ['email.suppressed', 'email.unsubscribed'] as const;
const perName = 200;
/** Events of one name read while looking for the email's: events without a contact belong to many emails. */
const mostRead = 10_000;
const dayMs = 86_400_000;

const eventRow = z.object({
  name: z.enum([...names, ...feedNames]),
  data: z.record(z.string(), z.json()),
  occurredAt: z.date(),
});

export type EmailEvent = z.output<typeof eventRow>;

/**
 * Journal events of an email, oldest first, at most 200 per name. Found through the indexes on the contact's history,
 * so empty once the contact was erased.
 */
export async function listEmailEvents(em: Em, projectId: string, email: LoggedEmail): Promise<EmailEvent[]> {
  if (email.contactId === null) return [];
  // The outcome events of an email to a custom address have no contact.
  const ofContact = email.customRecipient ? 'contact_id is null' : 'contact_id = $2';
  const sql = `select name, data, occurred_at as "occurredAt" from (
       select e.id, e.name, e.data, e.occurred_at from unnest($3::text[]) n (name)
       cross join lateral (
         select * from (
           select id, events.name, data, occurred_at, email_id from events
           where project_id = $1 and events.name = n.name and ${ofContact} and kind <> 'activity'
             and occurred_at >= $4::timestamptz - interval '1 day' and id >= $7
           order by occurred_at limit ${mostRead}
         ) read
         where email_id = $5 limit ${perName}
       ) e
       union all
       (select id, name, data, occurred_at from events
        where contact_id = $2 and kind = 'activity' and project_id = $1 and email_id = $5 and name = any($6::text[])
          and id >= $7
        limit ${perName})
     ) e
     order by occurred_at, id`;
  return query(em, eventRow, sql, [
    projectId,
    email.contactId,
    names,
    email.createdAt,
    email.id,
    feedNames,
    firstEventIdSince(new Date(email.createdAt.getTime() - dayMs)),
  ]);
}

/** The email's execution was under way when it was created; a minute of tolerance, because clocks are adjusted. */
const executionSql = `
select x.id
from (
  select id from workflow_executions
  where contact_id = $1 and workflow_id = $2 and started_at <= $4::timestamptz + interval '1 minute'
    and (completed_at is null or completed_at >= $4::timestamptz - interval '1 minute')
  offset 0
) x
cross join lateral (
  select output from workflow_step_runs where execution_id = x.id offset 0
) r
where r.output ->> 'emailId' = $3
limit 1`;

/** A contact may have been through the workflow many times; only runs of executions at that time are read. */
export async function findSendingExecution(
  em: Em,
  contactId: string,
  workflowId: string,
  { id, createdAt }: Pick<LoggedEmail, 'id' | 'createdAt'>,
): Promise<string | undefined> {
  const parameters = [contactId, workflowId, id, createdAt];
  const [execution] = await queryColumn(em, z.uuid(), executionSql, parameters);
  return execution;
}

const attachmentRow = z.object({
  filename: z.string(),
  contentType: z.string(),
  disposition: z.enum(attachmentDispositions),
  size: z.int(),
});

export type AttachmentFigures = z.output<typeof attachmentRow>;

/** A statement, because MikroORM would load the bytes to measure them. */
export function listAttachments(em: Em, contentId: string): Promise<AttachmentFigures[]> {
  const sql = `select filename, content_type as "contentType", disposition, octet_length(bytes) as size
     from email_attachments where content_id = $1 order by position`;
  return query(em, attachmentRow, sql, [contentId]);
}
