import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../core/config/schema.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import type { InTurn } from '../../core/in-turn.ts';
import { sizesOfPools } from '../../db/orm.ts';

type Run = <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result>;

/** Work may take places of two kinds, always in the same order: first one for writes, then one for heavy reads. */
export interface ProjectSlots {
  /**
   * Waits for a place of the project, as long as the work before takes, and up to 30 seconds for its turn among all
   * projects. Then runs the work.
   * @throws DomainError `RATE_LIMIT_EXCEEDED` when the project's queue is full, `SERVICE_UNAVAILABLE` when its turn does
   * not come in time
   */
  run: Run;
  /** Like `run`, for optional figures: returns undefined when there is no place within moments. */
  runSoon: <Result>(projectId: string, work: () => Promise<Result>) => Promise<Result | undefined>;
  /**
   * For long work: each of its batches takes a place of its own. The first may be refused, as by `run`; later ones wait,
   * because the work has begun.
   */
  inBatches: (projectId: string) => InTurn;
}

export interface ProjectSlotsOptions {
  /** Concurrent work of all projects in this process, which take turns; a project has at most half of it, rounded up. */
  inAll?: number;
  /** Names the work in errors. */
  what?: string;
  /** Work of one project that may wait for its places. */
  mostWaiting?: number;
}

const waitingPerRunning = 12;
const retryAfterSeconds = 2;
const longestTurnMs = 30_000;
const soonMs = 2_000;
const retryBatchMs = 500;
const refusals: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'];

/**
 * Connections that the heavy reads of all projects may hold in this process, and their writes as many. The rest, none with
 * the smallest pool, is for short reads and for what every request needs, such as the look-up of its key. The prepared
 * statements of the hot routes have a pool of their own.
 */
export function sharedConnections(
  config: Pick<Config, 'DATABASE_POOL_SIZE' | 'DATABASE_POOLER_URL'>,
): number {
  const isPooler = config.DATABASE_POOLER_URL !== undefined;
  return Math.max(1, Math.floor(sizesOfPools(config.DATABASE_POOL_SIZE, isPooler).statements * 0.4));
}

const unlimited: ProjectSlots = {
  run: (_projectId, work) => work(),
  runSoon: (_projectId, work) => work(),
  inBatches: () => (batch) => batch(),
};

/**
 * Limits how much work each project, and all projects together, have under way at once, for reads whose cost grows with
 * a project's data and other heavy work.
 *
 * @param most concurrent work of a project in this process; 0 means unlimited, also for all projects
 */
export function createProjectSlots(most: number, options: ProjectSlotsOptions = {}): ProjectSlots {
  if (most === 0) return unlimited;
  const { inAll = Number.POSITIVE_INFINITY, what = 'searches and counts' } = options;
  const perProject = Math.min(most, Math.ceil(inAll / 2));
  const { mostWaiting = perProject * waitingPerRunning } = options;
  const projects = new Map<string, FairSemaphore>();
  const all = new FairSemaphore(inAll);

  const isFull = (projectId: string) => (projects.get(projectId)?.waiting() ?? 0) >= mostWaiting;

  function placesOf(projectId: string): FairSemaphore {
    const places = projects.get(projectId) ?? new FairSemaphore(perProject);
    projects.set(projectId, places);
    return places;
  }

  const runInOwn: Run = async (projectId, work) => {
    if (isFull(projectId)) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', `Too many ${what} of this project at once`, {
        retryAfterSeconds,
      });
    }
    const places = placesOf(projectId);
    try {
      return await places.run(projectId, work);
    } finally {
      if (places.isIdle) projects.delete(projectId);
    }
  };

  const run: Run = (projectId, work) =>
    runInOwn(projectId, () =>
      runWithin(longestTurnMs, all, projectId, work, () => {
        throw new DomainError('SERVICE_UNAVAILABLE', `Too many ${what} at once`, { retryAfterSeconds });
      }),
    );

  return {
    run,
    async runSoon(projectId, work) {
      if (isFull(projectId)) return undefined;
      const places = placesOf(projectId);
      const none = () => undefined;
      const inTurn = () => runWithin(soonMs, all, projectId, work, none);
      try {
        return await runWithin(soonMs, places, projectId, inTurn, none);
      } finally {
        if (places.isIdle) projects.delete(projectId);
      }
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
): Promise<Result | Otherwise> {
  const release = await acquireWithin(longestMs, places, projectId);
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
): Promise<(() => void) | undefined> {
  if (places.hasRoom) return places.acquire(projectId);
  const place = places.acquire(projectId);
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), longestMs);
  const release = await Promise.race([place, late.promise]);
  clearTimeout(timer);
  if (release === undefined) void place.then((giveBack) => giveBack());
  return release;
}
