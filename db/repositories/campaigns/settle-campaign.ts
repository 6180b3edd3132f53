import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** How long a run may take, in seconds. */
export interface BatchSeconds {
  /** A claim begins its last hand-over within so long. */
  lease: number;
  /** A claim of this age is of a run that died. */
  live: number;
  /** How long an unanswered hand-over waits for the provider's event. */
  unknown: number;
}

/** What proves that the provider's Send events arrive, so that a missing one says something. */
export interface SendEventEvidence {
  /** Hand-overs claimed up to then have surely begun before one that was confirmed. */
  provenUntil: Date | null;
  /** Every hand-over of the campaign that the provider took by its answer was confirmed, and there is one. */
  isComplete: boolean;
  /** The longest that a Send event of the campaign took to arrive; null when none has arrived. */
  lagSeconds: number | null;
}

/** Nothing is proven, so whatever is in doubt stays so. */
export const noEvidence: SendEventEvidence = { provenUntil: null, isComplete: false, lagSeconds: null };

/** Judges nothing: whatever is in doubt is waited for. */
export const undecided: SendEventEvidence = {
  provenUntil: null,
  isComplete: false,
  lagSeconds: Number.POSITIVE_INFINITY,
};

/** From the begin of a hand-over until the provider has taken it, at most. */
const answerSeconds = 30;

/** Looks at all emails of a campaign, so it is asked only where emails wait for it. */
export async function readSendEventEvidence(
  em: Em,
  campaignId: string,
  seconds: BatchSeconds,
): Promise<SendEventEvidence> {
  const [row] = await sql<SendEventEvidence>(
    em,
    `with campaign as (
       select max(sent_at) filter (where confirmed_at is not null) as proven,
         coalesce(bool_and(confirmed_at is not null) filter (where message_id is not null), false) as is_complete,
         extract(epoch from max(confirmed_at - sent_at))::float8 as lag
       from emails where campaign_id = $1
     ),
     -- A hand-over of anyone since then says as much: the events of all come the same way.
     others as (
       select sent_at from emails
       where confirmed_at is not null
         and id > (lpad(to_hex((extract(epoch from now() - make_interval(secs => $2)) * 1000)::bigint), 12, '0')
           || '00000000000000000000')::uuid
       order by id desc limit 1
     )
     select greatest(proven, (select sent_at from others)) - make_interval(secs => $3) as "provenUntil",
       is_complete as "isComplete", lag as "lagSeconds"
     from campaign`,
    [campaignId, seconds.unknown * 4, seconds.lease + answerSeconds],
  );
  return row ?? noEvidence;
}

export interface SettledBatch {
  /** Emails that can be sent now. */
  queued: number;
  /** Emails that a run may still be at work with, or that wait for their Send event. */
  waiting: number;
  /** When the first of those is worth another look. */
  waitMs: number;
}

const settleSql = `
with campaign as materialized (
  select id from campaigns where id = $1 and status = 'SENDING' for share
),
batch as materialized (
  select * from campaign_batches where campaign_id = $1 and number = $2
),
held as materialized (
  select e.id, e.status, e.claimed_at, e.message_id
  from batch b
  join emails e on e.id between b.first_email_id and b.last_email_id and e.campaign_id is not distinct from $1
  where e.status in ('QUEUED', 'SENDING', 'UNKNOWN')
  order by e.id
  for no key update of e
),
judged as (
  select *,
    case
      when not is_doubtful then status
      when age > $4::float8 and message_id is null and ($6 or claimed_at <= $5::timestamptz)
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
    reason = case j.next
      when 'QUEUED' then 'the provider did not take it'
      else 'the process ended during the hand-over'
    end
  from judged j
  where e.id = j.id and j.next <> j.status
),
summary as (
  select count(*) filter (where next = 'QUEUED')::int as queued,
    count(*) filter (where due_in > 0)::int as waiting,
    coalesce(min(due_in) filter (where due_in > 0), 0) * 1000 as "waitMs"
  from (
    select next,
      case
        when next = 'SENDING' then greatest(0.1, $3::float8 - age)
        -- A moment longer than the time-out, so that the look finds it over.
        when next = 'UNKNOWN' and age <= $4 then $4 - age + 0.1
        when next = 'UNKNOWN' and age <= $7::float8 then least($4, $7::float8 - age + 0.1)
        else 0
      end as due_in
    from judged
  ) j
),
ended as (
  update campaign_batches b
  set ended_at = clock_timestamp()
  from summary s
  where b.campaign_id = $1 and b.number = $2 and b.ended_at is null and s.queued = 0 and s.waiting = 0
)
select * from summary`;

/** While events arrive, but not all that must, they are waited for so many times as long. */
const patience = 10;

/**
 * Looks at what a batch left open. A claim that is older than `seconds.live` is of a run that died: its emails are
 * UNKNOWN from then on, until the provider's Send event or the time-out. The time-out is `seconds.unknown` after the
 * moment at which the event of the last possible hand-over would have come, had it taken as long as the slowest one.
 * One that no event was heard of by then although those of all others have arrived was not taken, and is QUEUED
 * again, while the campaign is sending; where none arrive it stays UNKNOWN and is never sent again. The batch ends
 * when nothing is left to send or to wait for.
 */
export async function settleBatch(
  em: Em,
  campaignId: string,
  number: number,
  seconds: BatchSeconds,
  evidence: SendEventEvidence,
): Promise<SettledBatch> {
  const { provenUntil, isComplete, lagSeconds } = evidence;
  const timeOut = seconds.lease + (lagSeconds ?? 0) + seconds.unknown;
  const [row] = await sql<SettledBatch>(em, settleSql, [
    campaignId,
    number,
    seconds.live,
    timeOut,
    provenUntil,
    isComplete,
    lagSeconds === null ? timeOut : timeOut * patience,
  ]);
  return row ?? { queued: 0, waiting: 0, waitMs: 0 };
}
