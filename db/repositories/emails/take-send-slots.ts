import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface SendSlots {
  /** Emails that may leave, at most as many as were asked for. */
  granted: number;
  /** When the first of them may leave, from now; 0 or less means at once. */
  startInMs: number;
  /** When asking again is worth it, if not all were granted. */
  retryInMs: number;
}

/** An idle bucket lets the emails of so many seconds out at once. */
const burstSeconds = 1;
/** What would leave later than this is not granted, so that no process sits on permits. */
const usualHorizonSeconds = 5;

/**
 * Emails that a bucket gives which is free from `free` on: as many as fit before the horizon. An idle bucket gives
 * one however slowly it fills.
 */
const givenSql = (free: string) => `
  least($2::float8, greatest(
    (${free} <= now())::int,
    floor($3::float8 * ($5::float8 + extract(epoch from now() - ${free})::float8))
  ))`;

/** The generic cell rate algorithm; the row holds the instant at which the next email may leave. */
const takeSql = `
with bucket as (
  insert into throttles as t (key, next_free_at)
  select $1, free + make_interval(secs => ${givenSql('free')} / $3::float8)
  from (select now() - make_interval(secs => $4) as free) new
  on conflict (key) do update
  set next_free_at = (
    select free + make_interval(secs => ${givenSql('free')} / $3::float8)
    from (select greatest(t.next_free_at, now() - make_interval(secs => $4)) as free) known
  )
  returning greatest(old.next_free_at, now() - make_interval(secs => $4)) as starts, new.next_free_at as ends
)
select round(extract(epoch from ends - starts)::float8 * $3::float8)::int as granted,
  (extract(epoch from starts - now()) * 1000)::float8 as "startInMs",
  greatest(50, extract(epoch from ends - now()) * 1000 - $5::float8 * 500)::float8 as "retryInMs"
from bucket`;

/** Puts back permits of the bucket `key` that were taken and are of no use, because another bucket had none. */
export async function returnSendSlots(
  em: Em,
  key: string,
  count: number,
  ratePerSecond: number,
): Promise<void> {
  await sql(
    em,
    'update throttles set next_free_at = next_free_at - make_interval(secs => $2::float8 / $3::float8) where key = $1',
    [key, count, ratePerSecond],
  );
}

/**
 * Takes up to `wanted` permits of the bucket `key`, which fills at `ratePerSecond` (more than 0). Exact over
 * all processes: the row is the only truth, and one statement moves it.
 *
 * @param horizonSeconds what would leave later than this is not granted
 */
export async function takeSendSlots(
  em: Em,
  key: string,
  wanted: number,
  ratePerSecond: number,
  horizonSeconds = usualHorizonSeconds,
): Promise<SendSlots> {
  const parameters = [key, wanted, ratePerSecond, burstSeconds, horizonSeconds];
  const [row] = await sql<SendSlots>(em, takeSql, parameters);
  if (row === undefined) throw new Error('The throttle answered no row');
  return row;
}
