import { z } from 'zod';
import { claimLeaseSeconds, claimLiveSeconds } from '../../../core/claim-times.ts';
import { isOfBatchSql } from '../../fragments/is-of-batch-sql.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';
import { interruptedReason, notBegunReason } from '../emails/find-open-emails.ts';
import type { SendEventEvidence } from './send-event-evidence.ts';

const settledRow = z.object({
  queued: z.int(),
  /** Milliseconds until the first of the queued emails is due. */
  dueInMs: z.number(),
  waiting: z.int(),
  /** Milliseconds until the batch should be settled again; infinite when the evidence is `undecided`. */
  waitMs: z.union([z.number(), z.literal(Number.POSITIVE_INFINITY)]),
});

const settleSql = `
with campaign as materialized (
  select id from campaigns where id = $1 and status = 'SENDING' for share
),
batch as materialized (
  select b.*, k.project_id
  from campaign_batches b
  join campaigns k on k.id = b.campaign_id
  where b.campaign_id = $1 and b.number = $2
),
held as materialized (
  select e.id, e.status, e.claimed_at, e.retry_at, e.message_id, e.hand_over_begun
  from batch b
  join emails e on ${isOfBatchSql('e', 'b', 'b.project_id')}
  where e.status in ('QUEUED', 'SENDING', 'UNKNOWN')
  order by e.id
  for no key update of e
),
evaluated as (
  select *,
    case
      when not is_doubtful then status
      when hand_over_begun is false then 'QUEUED'
      when age > $4::float8 and message_id is null and claimed_at <= greatest($5::timestamptz, $6::timestamptz)
        and exists (select from campaign) then 'QUEUED'
      else 'UNKNOWN'
    end as next
  from (
    select *, status = 'UNKNOWN' or (status = 'SENDING' and age > $3::float8) as is_doubtful
    from (select *, extract(epoch from now() - claimed_at)::float8 as age from held) held
  ) held
),
moved as (
  update emails e
  set status = j.next,
    -- A claim by a process of an earlier version does not set it.
    hand_over_begun = null,
    claimed_at = case when j.next <> 'QUEUED' then e.claimed_at end,
    reason = case
      when j.next = 'UNKNOWN' then '${interruptedReason}'
      when j.hand_over_begun is false then '${notBegunReason}'
      else 'the provider did not take it'
    end
  from evaluated j
  where e.id = j.id and j.next <> j.status
),
summary as (
  select count(*) filter (where next = 'QUEUED')::int as queued,
    coalesce(min(greatest(0, coalesce(extract(epoch from retry_at - now()), 0))) filter (where next = 'QUEUED'), 0)::float8
      * 1000 as "dueInMs",
    count(*) filter (where due_in > 0)::int as waiting,
    coalesce(min(due_in) filter (where due_in > 0), 0) * 1000 as "waitMs"
  from (
    select next, retry_at,
      case
        -- Most runs end soon, so check when the claim is 1 s, 2 s, 4 s … old.
        when next = 'SENDING' then greatest(0.1, least($3::float8 - age, greatest(1, age)))
        -- 0.1 s past the time-out, so that the next run finds it expired.
        when next = 'UNKNOWN' and age <= $4 then $4 - age + 0.1
        when next = 'UNKNOWN' and age <= $7::float8 then least($4, $7::float8 - age + 0.1)
        else 0
      end as due_in
    from evaluated
  ) j
),
ended as (
  update campaign_batches b
  set ended_at = clock_timestamp()
  from summary s
  where b.campaign_id = $1 and b.number = $2 and b.ended_at is null and s.queued = 0 and s.waiting = 0
)
select * from summary`;

/** Multiplies the time-out when only some of the campaign's Send events have arrived. */
const incompleteFactor = 10;

/**
 * Settles the emails that a batch left open, up to 5,000 in one statement, and ends the batch when no email is left to
 * send or wait for.
 *
 * A claim older than `claimLiveSeconds` belongs to a run that died. Its emails whose hand-over was recorded as not
 * begun are QUEUED again; if the campaign is cancelled, `cancelBatches` cancels them. The others are UNKNOWN until the
 * Send event arrives or the time-out passes: `unknownSeconds` after the event of the last possible hand-over was due,
 * assuming the slowest delay seen. If the events of all other emails have arrived by then, the provider did not take the
 * email, and it is QUEUED again while the campaign is sending. Without such evidence it stays UNKNOWN and is never sent
 * again.
 */
export function settleBatch(
  em: Em,
  campaignId: string,
  number: number,
  unknownSeconds: number,
  evidence: SendEventEvidence,
) {
  const { provenUntil, completeAt, lagSeconds } = evidence;
  const timeOut = claimLeaseSeconds + (lagSeconds ?? 0) + unknownSeconds;
  // Reading the evidence may have taken minutes; it says nothing about emails claimed since.
  const completeUntil = completeAt && new Date(completeAt.getTime() - timeOut * 1000);
  return queryRow(em, settledRow, settleSql, [
    campaignId,
    number,
    claimLiveSeconds,
    timeOut,
    provenUntil,
    completeUntil,
    lagSeconds === null ? timeOut : timeOut * incompleteFactor,
  ]);
}
