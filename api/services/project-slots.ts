import { DomainError } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';

export type ProjectSlots = ReturnType<typeof createProjectSlots>;

export interface ProjectSlotsOptions {
  /** Concurrent work of all projects in this process, which take turns. */
  inAll?: number;
  /** Names the work in errors. */
  what?: string;
  /** Work of one project that may wait for its slots. */
  mostWaiting?: number;
}

const waitingPerRunning = 12;
const retryAfterSeconds = 2;
const longestTurnMs = 30_000;

/**
 * Limits how much work each project, and all projects together, have under way at once, for reads whose cost grows with
 * a project's data and other heavy work. Work may take slots of another kind, always in the same order: first those of
 * writes, then those of reads.
 *
 * @param perProject concurrent work per project in this process; 0 means unlimited, also in all
 */
export function createProjectSlots(
  perProject: number,
  {
    inAll = Number.POSITIVE_INFINITY,
    what = 'searches and counts',
    mostWaiting = perProject * waitingPerRunning,
  }: ProjectSlotsOptions = {},
) {
  const projects = new Map<string, FairSemaphore>();
  const all = new FairSemaphore(inAll);

  function isFull(projectId: string): boolean {
    const waiting = projects.get(projectId)?.waiting() ?? 0;
    return perProject > 0 && waiting >= mostWaiting;
  }

  /** Like `run`, for work that takes no place among that of all projects. */
  async function runApart<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    if (perProject === 0) return work();
    if (isFull(projectId)) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', `Too many ${what} of this project at once`, {
        retryAfterSeconds,
      });
    }
    const slots = projects.get(projectId) ?? new FairSemaphore(perProject);
    projects.set(projectId, slots);
    try {
      return await slots.run(projectId, work);
    } finally {
      if (slots.isIdle) projects.delete(projectId);
    }
  }

  /** @returns the release function */
  function takeTurn(projectId: string): Promise<() => void> {
    if (all.hasRoom) return all.acquire(projectId);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const turn = all.acquire(projectId);
    const timer = setTimeout(() => {
      reject(new DomainError('SERVICE_UNAVAILABLE', `Too many ${what} at once`, { retryAfterSeconds }));
      void turn.then((release) => release());
    }, longestTurnMs);
    void turn.then((release) => {
      clearTimeout(timer);
      resolve(release);
    });
    return promise;
  }

  async function runInTurn<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    const release = await takeTurn(projectId);
    try {
      return await work();
    } finally {
      release();
    }
  }

  return {
    /**
     * Waits for a free slot of the project and for its turn among all projects, then runs the work.
     * @throws DomainError `RATE_LIMIT_EXCEEDED` when the project's queue is full, `SERVICE_UNAVAILABLE` when its turn
     * does not come in 30 seconds
     */
    run: <Result>(projectId: string, work: () => Promise<Result>): Promise<Result> =>
      perProject === 0 ? work() : runApart(projectId, () => runInTurn(projectId, work)),
    runApart,
    /** Like `run`, for optional figures: returns undefined when the queue is full, and never waits for other projects. */
    runIfFree: async <Result>(projectId: string, work: () => Promise<Result>) => {
      if (perProject === 0) return work();
      if (isFull(projectId)) return undefined;
      return runApart(projectId, async () => (all.hasRoom ? runInTurn(projectId, work) : undefined));
    },
  };
}
