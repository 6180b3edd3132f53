import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../core/config/schema.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import type { InTurn } from '../../core/in-turn.ts';
import { sizesOfPools } from '../../db/orm.ts';
import { leaveShortPlace, type RunInTurn } from './short-place.ts';

/**
 * Work may take places of two kinds, always in the same order: first one for writes, then one for heavy reads. It gives
 * back one for short reads before it waits for another. `docs/architecture.md`, "Places and turns", lists all kinds.
 */
export interface ProjectPlaces {
  /**
   * Waits for a place of the project, as long as the work before takes, and up to 30 seconds for its turn among all
   * projects. Then runs the work.
   * @param signal ends the wait; the work has to look at it itself
   * @throws the reason of `signal`
   * @throws DomainError `RATE_LIMIT_EXCEEDED`, or `refusal`, when the project's queue is full, `SERVICE_UNAVAILABLE` when its
   * turn does not come in time
   */
  run: RunInTurn;
  /** Like `run`, for optional figures: returns undefined when there is no place within moments. */
  runSoon: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result | undefined>;
  /**
   * For long work: each of its batches takes a place of its own. The first may be refused, as by `run`; later ones wait,
   * because the work has begun.
   */
  inBatches: (projectId: string) => InTurn;
}

export interface ProjectPlacesOptions {
  /**
   * Concurrent work of all projects in this process, which take turns; a project has at most half of it, rounded up, and so
   * have all slow ones together (`createSharedPlaces`). Several kinds of work may share it.
   */
  inAll?: FairSemaphore;
  /** Concurrent work of this kind of all projects, within `inAll`. Unlimited by default. */
  together?: number;
  /** Names the work in errors, and its owner. */
  what?: string;
  ofOwner?: string;
  /** Work of one project that may wait for its places. */
  mostWaiting?: number;
  /** Work of this kind of all projects that may wait for its places. Unlimited by default. */
  mostWaitingTogether?: number;
  /** Code of the error when more would wait. Default `RATE_LIMIT_EXCEEDED`. */
  refusal?: ErrorCode;
}

const waitingPerRunning = 12;
const help = { retryAfterSeconds: 2, suggestion: 'Try again in a few seconds.' };
const longestTurnMs = 30_000;
const soonMs = 2_000;
const retryBatchMs = 500;
const refusals: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'];

/**
 * Places that all projects share. Requests usually hold one for milliseconds; those of a project that wait for locks of its
 * own work, or read very much, hold one for seconds. The last one goes to a project that has none, so that two that begin
 * to wait for locks do not hold up a third.
 */
export const createSharedPlaces = (places: number) =>
  new FairSemaphore(places, {
    slowMs: 1_000,
    perOwner: (free) => (free > 1 ? Number.POSITIVE_INFINITY : 1),
  });

/**
 * Connections that the writes of all projects may hold in this process, their heavy reads as many, and their short reads
 * as many. The rest, at least one, is for what every request needs, such as the look-up of its key. The prepared
 * statements of the hot routes have a pool of their own; behind a pooler, which has none, as many are left to them.
 */
export function sharedConnections({ DATABASE_POOL_SIZE: size }: Pick<Config, 'DATABASE_POOL_SIZE'>): number {
  return Math.floor((sizesOfPools(size, false).statements - 1) / 3);
}

function runAtOnce<Result>(_projectId: string, work: () => Promise<Result>): Promise<Result> {
  leaveShortPlace();
  return work();
}

const unlimited: ProjectPlaces = {
  run: runAtOnce,
  runSoon: runAtOnce,
  inBatches: (projectId) => (batch) => runAtOnce(projectId, batch),
};

/**
 * Limits how much work each project, and all projects together, have under way at once, for reads whose cost grows with
 * a project's data and other heavy work.
 *
 * @param most concurrent work of a project in this process; 0 means unlimited, also for all projects
 */
export function createProjectPlaces(most: number, options: ProjectPlacesOptions = {}): ProjectPlaces {
  if (most === 0) return unlimited;
  const { inAll: all = new FairSemaphore(Number.POSITIVE_INFINITY) } = options;
  const { what = 'searches and counts', ofOwner = 'of this project' } = options;
  const { together = Number.POSITIVE_INFINITY, mostWaitingTogether = Number.POSITIVE_INFINITY } = options;
  const perProject = Math.min(most, Math.ceil(all.capacity / 2));
  const { mostWaiting = perProject * waitingPerRunning, refusal = 'RATE_LIMIT_EXCEEDED' } = options;
  const own = new FairSemaphore(together, { perOwner: perProject });
  const isFull = (projectId: string) => own.waiting(projectId) >= mostWaiting;

  const refuse = () => {
    throw new DomainError('SERVICE_UNAVAILABLE', `Too many ${what} at once`, help);
  };
  const run: RunInTurn = async (projectId, work, signal) => {
    leaveShortPlace();
    if (isFull(projectId)) throw new DomainError(refusal, `Too many ${what} ${ofOwner} at once`, help);
    if (own.waiting() >= mostWaitingTogether) refuse();
    const inTurn = () => runWithin(longestTurnMs, all, projectId, work, refuse, signal);
    return own.run(projectId, inTurn, signal);
  };

  return {
    run,
    async runSoon(projectId, work) {
      leaveShortPlace();
      if (isFull(projectId)) return undefined;
      const none = () => undefined;
      const inTurn = () => runWithin(soonMs, all, projectId, work, none);
      return runWithin(soonMs, own, projectId, inTurn, none);
    },
    inBatches(projectId) {
      let hasBegun = false;
      return async (batch) => {
        for (;;) {
          try {
            const result = await run(projectId, batch);
            hasBegun = true;
            return result;
          } catch (error) {
            if (!hasBegun || !(error instanceof DomainError && refusals.includes(error.code))) throw error;
            await delay(retryBatchMs);
          }
        }
      };
    },
  };
}

/** Runs the work in a place, or `otherwise` if none is free within `longestMs`. */
async function runWithin<Result, Otherwise>(
  longestMs: number,
  places: FairSemaphore,
  projectId: string,
  work: () => Promise<Result>,
  otherwise: () => Otherwise,
  signal?: AbortSignal,
): Promise<Result | Otherwise> {
  const release = await acquireWithin(longestMs, places, projectId, signal);
  if (release === undefined) return otherwise();
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquireWithin(
  longestMs: number,
  places: FairSemaphore,
  projectId: string,
  signal: AbortSignal | undefined,
): Promise<(() => void) | undefined> {
  if (places.hasRoom(projectId)) return places.acquire(projectId);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(late), longestMs);
  const end = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    return await places.acquire(projectId, 1, end);
  } catch (error) {
    if (error === late) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
