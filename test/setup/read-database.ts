import type { Contact } from '../../db/entities/contact.ts';
import type { Email } from '../../db/entities/email.ts';
import type { Event } from '../../db/entities/event.ts';
import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';

/** Stays the same as long as nothing writes the row. */
export interface RowVersion {
  ctid: string;
  xmin: string;
}

export async function readContact(
  em: Em,
  projectId: string,
  email: string,
): Promise<(Contact & RowVersion) | undefined> {
  const [row] = await sql<Contact & RowVersion>(
    em,
    `select id, project_id as "projectId", email, subscribed, snoozed_until as "snoozedUntil", data,
       suppression_reason as "suppressionReason", suppressed_at as "suppressedAt",
       suppressed_email_id as "suppressedEmailId", created_at as "createdAt", updated_at as "updatedAt",
       ctid::text, xmin::text
     from contacts where project_id = $1 and email = $2`,
    [projectId, email],
  );
  return row;
}

export async function readEmail(em: Em, id: string): Promise<Email | undefined> {
  const [row] = await sql<Email>(
    em,
    `select id, project_id as "projectId", contact_id as "contactId", content_id as "contentId", source, type,
       template_id as "templateId", campaign_id as "campaignId", workflow_id as "workflowId",
       to_email as "toEmail", to_name as "toName", from_email as "fromEmail", subject, status, reason,
       message_id as "messageId", attempts, claim_token as "claimToken", claimed_at as "claimedAt",
       created_at as "createdAt", sent_at as "sentAt", delivered_at as "deliveredAt", opened_at as "openedAt",
       clicked_at as "clickedAt", bounced_at as "bouncedAt", complained_at as "complainedAt",
       unsubscribed_at as "unsubscribedAt", opens, clicks
     from emails where id = $1`,
    [id],
  );
  return row;
}

/** Oldest first. */
export function readEvents(em: Em, projectId: string): Promise<Omit<Event, 'xid'>[]> {
  return sql(
    em,
    `select id, project_id as "projectId", name, kind, contact_id as "contactId", email_id as "emailId",
       campaign_id as "campaignId", workflow_id as "workflowId", data, occurred_at as "occurredAt"
     from events where project_id = $1 order by occurred_at, id`,
    [projectId],
  );
}

export async function readCounts(em: Em, contactId: string): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; count: number }>(
    em,
    'select name, count from contact_event_stats where contact_id = $1',
    [contactId],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.count]));
}

/**
 * Differences between a project's event statistics and its journal, per contact and name: count, first and last time,
 * last event. Must be empty.
 */
export function findWrongCounts(em: Em, projectId: string): Promise<{ contactId: string }[]> {
  return sql(
    em,
    `with journal as (
       select contact_id, name, count(*)::int as count, min(occurred_at) as first_at, max(occurred_at) as last_at
       from events
       where project_id = $1 and contact_id is not null and kind <> 'activity'
       group by contact_id, name
     )
     select contact_id as "contactId", name, j.count as journal_count, s.count as stats_count, j.first_at as journal_first,
       s.first_at as stats_first, j.last_at as journal_last, s.last_at as stats_last
     from journal j
     full join (select * from contact_event_stats where project_id = $1) s using (contact_id, name)
     where (j.count, j.first_at, j.last_at) is distinct from (s.count, s.first_at, s.last_at)
       or not exists (select from events e where e.id = s.last_event_id and e.contact_id = s.contact_id
         and e.name = s.name and e.occurred_at = s.last_at)`,
    [projectId],
  );
}

/** As `name address`, in chronological order. */
export async function readSegmentEvents(em: Em, projectId: string): Promise<string[]> {
  const rows = await sql<{ text: string }>(
    em,
    `select e.name || ' ' || c.email as text from events e join contacts c on c.id = e.contact_id
     where e.project_id = $1 and e.name like 'segment.%' order by e.occurred_at, e.id`,
    [projectId],
  );
  return rows.map((row) => row.text);
}
