import { z } from 'zod';
import { cancelledReason } from '../../../core/campaign-state.ts';
import type { EmailStatus } from '../../../core/email-state.ts';
import { appendEmailFiguresSql } from '../../fragments/append-email-figures-sql.ts';
import { appendFiguresSql, figureChangesSql } from '../../fragments/campaign-figures-sql.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { giveBackUsageSql } from '../../fragments/count-usage-sql.ts';
import { isKeySql } from '../../fragments/join-by-key.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { erasedReason } from '../contacts/contact-belongings-sql.ts';
import {
  emailEventColumns,
  emailEventDataSql,
  onlyOfContactSql,
  unlessErasedSql,
} from './email-event-sql.ts';

export interface HandOverRecord {
  emailId: string;
  status: Extract<EmailStatus, 'SENT' | 'FAILED' | 'SUPPRESSED' | 'UNKNOWN' | 'QUEUED'>;
  messageId: string | null;
  reason: string | null;
  subject: string | null;
  /** For QUEUED: when the provider first deferred it; null or omitted before. */
  triedSince?: Date | null;
  /** For QUEUED: the email is not due before. */
  retryAt?: Date | null;
  eventId: string;
  /** When the hand-over began; no later than any event that the provider reports. */
  occurredAt: Date;
}

/** Emails that would return to the queue of a canceled campaign are canceled. */
const isCancelledSql = `o."status" = 'QUEUED' and e.campaign_id is not null
  and not exists (select from campaigns k where k.id = e.campaign_id and k.status = 'SENDING')`;

/** Recording an outcome changes no other figures. */
const figures = ['sent', 'held'] as const;

const recordSql = `
with outcome as materialized (
  select t.* from json_to_recordset($2::json) as t(
    "emailId" uuid, "status" text, "messageId" text, "reason" text, "subject" text, "triedSince" timestamptz,
    "retryAt" timestamptz, "eventId" uuid, "occurredAt" timestamptz), ${matchLimitSql('$3::text')} matches
),
recorded as (
  update emails e
  set status = case
      when e.status not in ('SENDING', 'UNKNOWN') then e.status
      when ${isCancelledSql} then 'CANCELLED'
      else o."status"
    end,
    sent_at = case when o."status" = 'SENT' then least(e.sent_at, o."occurredAt") else e.sent_at end,
    -- The claim of a campaign email counts as an attempt.
    attempts = e.attempts
      - (o."status" = 'QUEUED' and e.status = 'SENDING' and e.hand_over_begun is not false)::int,
    hand_over_begun = null,
    claimed_at = case
      when e.status = 'QUEUED' then e.claimed_at
      when e.status in ('SENDING', 'UNKNOWN') and o."status" = 'QUEUED' then o."triedSince"
      -- No longer prolonged.
      else least(e.claimed_at, now())
    end,
    retry_at = o."retryAt",
    message_id = coalesce(e.message_id, o."messageId"),
    reason = case
      when e.status not in ('SENDING', 'UNKNOWN') then e.reason
      when ${isCancelledSql} then '${cancelledReason}'
      when e.to_email = '' and o."status" <> 'SUPPRESSED' and o."reason" is not null then '${erasedReason}'
      else o."reason"
    end,
    subject = ${unlessErasedSql('e', 'coalesce(e.subject, o."subject")')}
  -- In the common lock order of emails.
  from (select * from outcome order by "emailId") o
  where ${isKeySql('e.id', 'o."emailId"')} and e.claim_token = $1
  returning e.*, o."eventId" as event_id, o."occurredAt" as occurred_at, old.sent_at as was_sent_at,
    new.status = 'SUPPRESSED' and old.status <> 'SUPPRESSED' as newly_suppressed,
    new.status = 'CANCELLED' and old.status <> 'CANCELLED' as newly_cancelled,
    ${figureChangesSql(figures)}
),
figures as (${appendFiguresSql('recorded', figures)}
),
given_back as (${giveBackUsageSql('campaigns', 'select * from recorded where newly_cancelled')}
),
project_figures as (${appendEmailFiguresSql('recorded', { sent: 'was_sent_at is null and sent_at is not null' })}
),
journaled as (
  insert into events (${emailEventColumns})
  select event_id, project_id, case when newly_suppressed then 'email.suppressed' else 'email.sent' end,
    case when newly_suppressed then 'activity' else 'emitted' end, ${onlyOfContactSql('recorded', 'contact_id')}, id, campaign_id, workflow_id,
    ${emailEventDataSql('recorded', [
      `'status': case when newly_suppressed then status end`,
      `'bounceType': case when newly_suppressed then 'Suppressed' end`,
      `'reason': case when newly_suppressed then reason end`,
    ])},
    occurred_at, hops
  from recorded
  where newly_suppressed or (was_sent_at is null and sent_at is not null)
  returning id, project_id, name, kind, contact_id, occurred_at
),
${countEventsSql("select * from journaled where kind = 'emitted'")}
select count(*)::int as recorded from recorded`;

const recordedRow = z.object({ recorded: z.int() });

/**
 * Records the outcomes of the emails that `token` still holds, in one statement. Journals `email.sent` once per sent
 * email and `email.suppressed` (shown in the feed only) per withheld one, and updates campaign figures. Emails already
 * moved on by a provider event keep their status; canceled emails return their quota. Idempotent.
 *
 * @returns the number of records applied
 * @throws pg.DatabaseError as `matchLimitSql`
 */
export async function recordHandOvers(em: Em, token: string, records: HandOverRecord[]): Promise<number> {
  if (records.length === 0) return 0;
  const parameters = [token, JSON.stringify(records), matchLimit(records.length)];
  const [row] = await preparedQuery(em, 'record_hand_overs', recordedRow, recordSql, parameters);
  return row?.recorded ?? 0;
}

export interface BeginningHandOver {
  emailId: string;
  token: string;
  /** Prolongs the claim. */
  uploadSeconds?: number;
}

const begunRow = z.object({ id: z.uuid() });

const beginSql = `
update emails e
set hand_over_begun = true, attempts = e.attempts + 1, claimed_at = e.claimed_at + make_interval(secs => b.upload)
-- In the common lock order of emails.
from (select * from unnest($1::uuid[], $2::uuid[], $3::int[]) as t(id, token, upload) order by id) b
where ${isKeySql('e.id', 'b.id')} and e.claim_token = b.token and e.status = 'SENDING' and e.hand_over_begun is false
returning e.id`;

/**
 * Records that the hand-over of these emails begins: if the process dies after this, they become UNKNOWN.
 *
 * @returns for each email, whether it may be handed over; false when another run has claimed it or a provider event has
 * changed its status
 */
export async function beginHandOvers(em: Em, beginnings: readonly BeginningHandOver[]): Promise<boolean[]> {
  const parameters = [
    beginnings.map(({ emailId }) => emailId),
    beginnings.map(({ token }) => token),
    beginnings.map(({ uploadSeconds = 0 }) => uploadSeconds),
  ];
  const rows = await preparedQuery(em, 'begin_hand_overs', begunRow, beginSql, parameters);
  const begun = new Set(rows.map(({ id }) => id));
  return beginnings.map(({ emailId }) => begun.has(emailId));
}
