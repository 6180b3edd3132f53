import type { EmailStatus } from '../../entities/email.ts';
import { amongSql, lookUpSql } from '../../look-up-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedSql } from '../../sql.ts';
import { giveBackUsageSql } from '../billing/usage.ts';
import { appendFiguresSql, figureChangesSql } from '../campaigns/campaign-figures.ts';
import { countEventsSql } from '../contacts/upsert-contacts-sql.ts';
import { appendEmailFiguresSql } from '../projects/project-email-figures.ts';

/** What a run found out about an email that it had claimed. */
export interface HandOverRecord {
  emailId: string;
  status: Extract<EmailStatus, 'SENT' | 'FAILED' | 'SUPPRESSED' | 'UNKNOWN' | 'QUEUED'>;
  messageId: string | null;
  reason: string | null;
  /** As rendered; null when nothing was rendered. */
  subject: string | null;
  /** Id for the event `email.sent` or `email.suppressed`. */
  eventId: string;
  /** When the hand-over began: not after anything that the provider reports of it. */
  occurredAt: Date;
}

const recordSql = `
with outcome as materialized (
  select * from json_to_recordset($2::json) as t(
    "emailId" uuid, "status" text, "messageId" text, "reason" text, "subject" text, "eventId" uuid, "occurredAt" timestamptz)
),
held as materialized (
  select o.*
  from (select * from outcome order by "emailId") o
  cross join lateral (${lookUpSql('emails e where e.id = o."emailId" and e.claim_token = $1', 'for no key update')}) e
),
recorded as (
  update emails e
  set status = case
      when e.status not in ('SENDING', 'UNKNOWN') then e.status
      -- Back in the queue of a campaign that was cancelled meanwhile is not queued any more.
      when o."status" = 'QUEUED' and e.campaign_id is not null
        and not exists (select from campaigns k where k.id = e.campaign_id and k.status = 'SENDING') then 'CANCELLED'
      else o."status"
    end,
    sent_at = case when o."status" = 'SENT' then least(e.sent_at, o."occurredAt") else e.sent_at end,
    -- A claim of a campaign counts as begun.
    attempts = e.attempts
      - (o."status" = 'QUEUED' and e.status = 'SENDING' and e.hand_over_begun is not false)::int,
    hand_over_begun = null,
    message_id = coalesce(e.message_id, o."messageId"),
    reason = case when e.status in ('SENDING', 'UNKNOWN') then o."reason" else e.reason end,
    subject = coalesce(e.subject, o."subject")
  from held o
  where e.id = o."emailId" and ${amongSql('e.id', 'select "emailId" from held')}
  returning e.*, o."eventId" as event_id, o."occurredAt" as occurred_at, old.sent_at as was_sent_at,
    new.status = 'SUPPRESSED' and old.status <> 'SUPPRESSED' as newly_suppressed,
    new.status = 'CANCELLED' and old.status <> 'CANCELLED' as newly_cancelled,
    ${figureChangesSql}
),
figures as (${appendFiguresSql('recorded')}
),
given_back as (${giveBackUsageSql('campaigns', 'select * from recorded where newly_cancelled')}
),
project_figures as (${appendEmailFiguresSql('recorded', { sent: 'was_sent_at is null and sent_at is not null' })}
),
journaled as (
  insert into events (id, project_id, name, kind, contact_id, email_id, campaign_id, workflow_id, data, occurred_at,
    hops)
  select event_id, project_id, case when newly_suppressed then 'email.suppressed' else 'email.sent' end,
    case when newly_suppressed then 'activity' else 'emitted' end, contact_id, id, campaign_id, workflow_id,
    jsonb_strip_nulls(jsonb_build_object('emailId', id, 'messageId', message_id, 'subject', subject,
      'from', from_email, 'recipientDomain', nullif(split_part(to_email, '@', 2), ''),
      'templateId', template_id, 'campaignId', campaign_id, 'sourceType', source,
      'status', case when newly_suppressed then status end,
      'bounceType', case when newly_suppressed then 'Suppressed' end,
      'reason', case when newly_suppressed then reason end)),
    occurred_at, hops
  from recorded
  where newly_suppressed or (was_sent_at is null and sent_at is not null)
  returning id, project_id, name, kind, contact_id, occurred_at
),
counted as (select * from journaled where kind = 'emitted'),
${countEventsSql}
select count(*)::int as recorded from recorded`;

/**
 * Records the outcomes of the emails that `token` still holds, and journals `email.sent` once for each that
 * left and `email.suppressed`, which only the feed shows, for each that was held back. An email that the provider's own event has moved on meanwhile keeps its state. Figures of campaigns change
 * with it, and the consumption with those that a cancel has kept from leaving.
 *
 * @returns how many of the records were applied.
 */
export async function recordHandOvers(em: Em, token: string, records: HandOverRecord[]): Promise<number> {
  if (records.length === 0) return 0;
  const parameters = [token, JSON.stringify(records)];
  const [row] = await preparedSql<{ recorded: number }>(em, 'record_hand_overs', recordSql, parameters);
  return row?.recorded ?? 0;
}
