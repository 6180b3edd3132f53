import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/at-most.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import type { Em } from '../../db/orm.ts';
import { type Lease, leaseRequests } from '../../db/statements/access/lease-requests.ts';

export interface RateLimitState {
  allowed: boolean;
  limit: number;
  /** Not exact: other processes may have used some since the last lease. */
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const shareOfRest = 8;
const mostSubjects = 50_000;

interface SubjectWindow {
  subject: string;
  /** Start of the minute by the database's clock, in epoch milliseconds. */
  startedAt: number;
  /** End of the minute on the local monotonic clock (`performance.now()`). */
  endsAt: number;
  /** Requests of this minute granted to all processes, as of the last lease. */
  givenOut: number;
  leased: number;
  spent: number;
  leasing: boolean;
  waiting: PromiseWithResolvers<RateLimitState>[];
}

/**
 * Fixed one-minute windows on the database's clock, shared by all processes. A process leases slices of the budget:
 * at most as many requests as it has used so far, and at most an eighth of the rest. Slices therefore start at one,
 * grow with the load and shrink as the budget runs out. Leases are atomic: all processes together never exceed
 * `limit`, and a single process allows exactly `limit`.
 *
 * @param limit requests per minute and subject, across all processes
 */
export function createRateLimiter(em: Em, limit: number) {
  const windows = new LRUCache<string, SubjectWindow>(atMost(mostSubjects));

  const leases = new Batcher<SubjectWindow, Lease>({
    run: (items) =>
      leaseRequests(
        em,
        limit,
        items.map((window) => ({ subject: window.subject, want: wantedLease(window, limit) })),
      ),
    maxItems: 500,
    concurrency: 2,
    keysOf: (window) => [window.subject],
  });

  async function lease(window: SubjectWindow): Promise<void> {
    window.leasing = true;
    try {
      while (window.waiting.length > 0) serveWaiting(window, await leases.submit(window), limit);
    } catch (error) {
      for (const each of window.waiting.splice(0)) each.reject(error);
    } finally {
      window.leasing = false;
    }
  }

  return {
    /**
     * Takes one request from the current minute's budget. Synchronous while this process holds leased requests;
     * otherwise one query, shared by all waiting requests.
     */
    take: (subject: string) => {
      let window = windows.get(subject);
      if (window === undefined) {
        window = newWindow(subject);
        windows.set(subject, window);
      }
      if (performance.now() < window.endsAt && window.waiting.length === 0) {
        if (window.leased > 0) return spend(window, limit);
        if (window.givenOut >= limit) return stateOf(window, limit, false);
      }
      const waiting = Promise.withResolvers<RateLimitState>();
      window.waiting.push(waiting);
      if (!window.leasing) void lease(window);
      return waiting.promise;
    },
  };
}

function newWindow(subject: string): SubjectWindow {
  return { subject, startedAt: 0, endsAt: 0, givenOut: 0, leased: 0, spent: 0, leasing: false, waiting: [] };
}

function wantedLease(window: SubjectWindow, limit: number): number {
  const isCurrent = performance.now() < window.endsAt;
  const slice = isCurrent ? Math.min(window.spent, Math.floor((limit - window.givenOut) / shareOfRest)) : 0;
  return Math.min(limit, Math.max(1, window.waiting.length, slice));
}

function serveWaiting(window: SubjectWindow, lease: Lease, limit: number): void {
  if (lease.windowStartedAt !== window.startedAt) {
    window.startedAt = lease.windowStartedAt;
    window.leased = 0;
    window.spent = 0;
  }
  window.endsAt = lease.endsAt;
  window.givenOut = lease.givenOut;
  window.leased += lease.count;
  const served = Math.min(window.leased, window.waiting.length);
  for (const each of window.waiting.splice(0, served)) each.resolve(spend(window, limit));
  if (window.givenOut < limit) return;
  for (const each of window.waiting.splice(0)) each.resolve(stateOf(window, limit, false));
}

function spend(window: SubjectWindow, limit: number): RateLimitState {
  window.leased -= 1;
  window.spent += 1;
  return stateOf(window, limit, true);
}

function stateOf(window: SubjectWindow, limit: number, allowed: boolean): RateLimitState {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - window.givenOut + window.leased),
    resetSeconds: Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000)),
  };
}
