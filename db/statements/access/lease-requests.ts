import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, query } from '../../sql.ts';

export interface WantedLease {
  subject: string;
  want: number;
}

export interface Lease {
  count: number;
  /** Requests granted to all processes in this minute, including this lease. */
  givenOut: number;
  /** By the database's clock, in epoch milliseconds. */
  windowStartedAt: number;
  /** End of the minute by `performance.now()`; may be early, never late. */
  endsAt: number;
}

const leaseRow = z.object({
  subject: z.string(),
  count: z.int(),
  givenOut: z.int(),
  windowStartedAt: z.number(),
  msLeft: z.number(),
});

/** Leases requests for distinct subjects in one statement. Locks rows in subject order to avoid deadlocks. */
export async function leaseRequests(em: Em, limit: number, wanted: readonly WantedLease[]): Promise<Lease[]> {
  // Read before the statement runs, so that the local end of the minute is never late.
  const askedAt = performance.now();
  const sql = `insert into rate_limit_windows as held (subject, window_start, used)
     select subject, date_trunc('minute', now()), least($3, want)
       from unnest($1::text[], $2::int[]) as wanted (subject, want)
      order by subject
     on conflict (subject, window_start) do update set used = least($3, held.used + excluded.used)
     returning subject, new.used - coalesce(old.used, 0) as count, new.used as "givenOut",
       extract(epoch from window_start)::float8 * 1000 as "windowStartedAt",
       extract(epoch from window_start + interval '1 minute' - now())::float8 * 1000 as "msLeft"`;
  const rows = await query(em, leaseRow, sql, [...columnsOf(wanted, 'subject', 'want'), limit]);
  const bySubject = new Map(rows.map((row) => [row.subject, row]));
  return wanted.map(({ subject }) => {
    const row = bySubject.get(subject);
    if (row === undefined) throw new Error('A lease statement must return a row per subject');
    const { count, givenOut, windowStartedAt, msLeft } = row;
    return { count, givenOut, windowStartedAt, endsAt: askedAt + msLeft };
  });
}

export async function sweepRateLimitWindows(em: Em): Promise<void> {
  await execute(em, `delete from rate_limit_windows where window_start < now() - interval '2 minutes'`);
}
