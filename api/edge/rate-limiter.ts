import { LRUCache } from 'lru-cache';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import type { Em } from '../../db/orm.ts';
import { type Lease, leaseRequests } from './rate-limit-leases.ts';

/** The state of a budget after one request asked for its share. */
export interface RateLimitState {
  allowed: boolean;
  /** Requests per window. */
  limit: number;
  /** Requests that may still come, as far as this process knows. */
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes one request from the budget of the current minute. Answers at once while this process holds leased
   * requests; otherwise after one query, which all waiting requests share.
   */
  take(subject: string): RateLimitState | Promise<RateLimitState>;
}

export interface RateLimiterOptions {
  em: Em;
  /** Requests per minute and subject over all processes. */
  limit: number;
}

/** A process never leases more than this part of what it believes is left. */
const shareOfRest = 8;
const mostSubjects = 50_000;

interface Waiting {
  resolve: (state: RateLimitState) => void;
  reject: (error: unknown) => void;
}

/** What this process knows of a subject's current minute. */
interface SubjectWindow {
  subject: string;
  /** Start of the minute by the database's clock, in epoch milliseconds. */
  startedAt: number;
  /** When it ends by the local monotonic clock. */
  endsAt: number;
  /** Requests of the minute that the database has given out to all processes, as last heard. */
  givenOut: number;
  /** Requests given out to this process and not yet used. */
  leased: number;
  /** Requests of the minute that went through this process. */
  spent: number;
  leasing: boolean;
  waiting: Waiting[];
}

/**
 * Fixed windows of one minute by the database's clock, shared by all processes. A process leases slices of the
 * budget: no more than it has used so far and no more than an eighth of the rest, so that slices start at one,
 * grow with the load and shrink as the budget ends. Leases are given out atomically, so the processes together
 * never let more than `limit` requests through, and a single process exactly `limit`.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { em, limit } = options;
  const windows = new LRUCache<string, SubjectWindow>({ max: mostSubjects });

  const leases = createBatcher<SubjectWindow, Lease>({
    run: (items) =>
      leaseRequests(
        em,
        limit,
        items.map((window) => ({ subject: window.subject, want: wantedLease(window, limit) })),
      ),
    maxItems: 500,
    concurrency: 2,
    keysOf: (window) => [window.subject],
    isRolledBack,
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
    take: (subject) => {
      let window = windows.get(subject);
      if (window === undefined) {
        window = newWindow(subject);
        windows.set(subject, window);
      }
      if (performance.now() < window.endsAt && window.waiting.length === 0) {
        if (window.leased > 0) return spend(window, limit);
        if (window.givenOut >= limit) return stateOf(window, limit, false);
      }
      const { promise, resolve, reject } = Promise.withResolvers<RateLimitState>();
      window.waiting.push({ resolve, reject });
      if (!window.leasing) void lease(window);
      return promise;
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

/** Books a lease and answers the waiting requests in their order, as far as it goes. */
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
