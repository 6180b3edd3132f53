import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

/** What proves that the provider's Send events arrive, so that a missing one says something. */
export interface SendEventEvidence {
  /** Hand-overs of the campaign that were claimed up to then are proven: a later one, or one of then, was confirmed. */
  provenUntil: Date | null;
  /** Every hand-over of the campaign that the provider took by its answer was confirmed, and there is one. */
  isComplete: boolean;
}

/** Nothing is proven, so whatever is in doubt stays so. */
export const noEvidence: SendEventEvidence = { provenUntil: null, isComplete: false };

/** Looks at all emails of a campaign, so it is asked only where emails wait for it. */
export async function readSendEventEvidence(
  em: Em,
  campaignId: string,
  unknownSeconds: number,
): Promise<SendEventEvidence> {
  const [row] = await sql<SendEventEvidence>(
    em,
    `with campaign as (
       select max(claimed_at) filter (where confirmed_at is not null) as proven_until,
         coalesce(bool_and(confirmed_at is not null) filter (where message_id is not null), false) as is_complete
       from emails where campaign_id = $1
     ),
     -- A hand-over of anyone since then says as much: the events of all come the same way.
     others as (
       select claimed_at from emails
       where confirmed_at is not null
         and id > (lpad(to_hex((extract(epoch from now() - make_interval(secs => $2 * 4)) * 1000)::bigint), 12, '0')
           || '00000000000000000000')::uuid
       order by id desc limit 1
     )
     select greatest(proven_until, (select claimed_at from others)) as "provenUntil", is_complete as "isComplete"
     from campaign`,
    [campaignId, unknownSeconds],
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
with batch as materialized (
  select * from campaign_batches where campaign_id = $1 and number = $2
),
held as materialized (
  select e.id, e.status, e.claimed_at, e.message_id
  from batch b
  join emails e on e.id between b.first_email_id and b.last_email_id and e.campaign_id = $1
  where e.status in ('QUEUED', 'SENDING', 'UNKNOWN')
  order by e.id
  for no key update of e
),
judged as (
  select *,
    case
      when not is_doubtful then status
      when claimed_at < now() - make_interval(secs => $4) and message_id is null
        and ($6 or claimed_at <= $5::timestamptz) then 'QUEUED'
      else 'UNKNOWN'
    end as next
  from (
    select *,
      status = 'UNKNOWN' or (status = 'SENDING' and claimed_at < now() - make_interval(secs => $3)) as is_doubtful
    from held
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
    coalesce(min(due_in) filter (where due_in > 0), 0)::float8 * 1000 as "waitMs"
  from (
    select next,
      case next
        when 'SENDING' then greatest(0.1, extract(epoch from claimed_at - now()) + $3)
        -- A moment longer than the time-out, so that the look finds it over.
        when 'UNKNOWN' then extract(epoch from claimed_at - now()) + $4 + 0.1
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

/**
 * Looks at what a batch left open. A claim that is older than `liveSeconds` is of a run that died: its emails are
 * UNKNOWN from then on, until the provider's Send event or the time-out. One that no event was heard of for
 * `unknownSeconds` although such events arrive was not taken, and is QUEUED again; where none arrive it stays
 * UNKNOWN and is never sent again. The batch ends when nothing is left to send or to wait for.
 */
export async function settleBatch(
  em: Em,
  campaignId: string,
  number: number,
  seconds: { live: number; unknown: number },
  evidence: SendEventEvidence,
): Promise<SettledBatch> {
  const [row] = await sql<SettledBatch>(em, settleSql, [
    campaignId,
    number,
    seconds.live,
    seconds.unknown,
    evidence.provenUntil,
    evidence.isComplete,
  ]);
  return row ?? { queued: 0, waiting: 0, waitMs: 0 };
}
