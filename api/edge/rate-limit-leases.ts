import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/sql.ts';

export interface WantedLease {
  subject: string;
  /** Requests asked for, at least 1. */
  want: number;
}

/** Requests that the database gave to this process from the budget of the current minute. */
export interface Lease {
  /** May be fewer than wanted, and 0 when the budget is used up. */
  count: number;
  /** What all processes were given in this minute, this lease included. */
  givenOut: number;
  /** Start of the minute by the database's clock, in epoch milliseconds. */
  windowStartedAt: number;
  /** End of the minute by `performance.now()`, early rather than late. */
  endsAt: number;
}

interface LeaseRow {
  subject: string;
  count: number;
  given_out: number;
  window_started_at: number;
  ms_left: number;
}

/**
 * Leases requests for several subjects, each named once, by one statement. The rows are locked in the order of
 * their subjects, so that two processes never wait for each other.
 */
export async function leaseRequests(em: Em, limit: number, wanted: readonly WantedLease[]): Promise<Lease[]> {
  // Taken before the statement runs: the local end of the minute may then only be too early, never too late.
  const askedAt = performance.now();
  const rows = await sql<LeaseRow>(
    em,
    `insert into rate_limit_windows as held (subject, window_start, used)
     select subject, date_trunc('minute', now()), least($3, want)
       from unnest($1::text[], $2::int[]) as wanted (subject, want)
      order by subject
     on conflict (subject, window_start) do update set used = least($3, held.used + excluded.used)
     returning subject, new.used - coalesce(old.used, 0) as count, new.used as given_out,
       extract(epoch from window_start)::float8 * 1000 as window_started_at,
       extract(epoch from window_start + interval '1 minute' - now())::float8 * 1000 as ms_left`,
    [wanted.map((each) => each.subject), wanted.map((each) => each.want), limit],
  );
  const bySubject = new Map(rows.map((row) => [row.subject, row]));
  return wanted.map(({ subject }) => {
    const row = bySubject.get(subject);
    if (row === undefined) throw new Error('A lease statement must answer each subject');
    return {
      count: row.count,
      givenOut: row.given_out,
      windowStartedAt: row.window_started_at,
      endsAt: askedAt + row.ms_left,
    };
  });
}

/** Forgets minutes that are over. Safe to run in every process. */
export async function sweepRateLimitWindows(em: Em): Promise<void> {
  await sql(em, `delete from rate_limit_windows where window_start < now() - interval '2 minutes'`);
}
