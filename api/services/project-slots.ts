import { DomainError } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';

export type ProjectSlots = ReturnType<typeof createProjectSlots>;

const waitingPerRunning = 12;
const retryAfterSeconds = 2;

/**
 * Limits how much work each project has under way at once, for reads whose cost grows with its data and other heavy work.
 * @param perProject concurrent work per project in this process; 0 means unlimited
 * @param what names them in the error
 */
export function createProjectSlots(
  perProject: number,
  what = 'searches and counts',
  mostWaiting = perProject * waitingPerRunning,
) {
  const projects = new Map<string, FairSemaphore>();

  function isFull(projectId: string): boolean {
    const waiting = projects.get(projectId)?.waiting() ?? 0;
    return perProject > 0 && waiting >= mostWaiting;
  }

  /**
   * Waits for a free slot of the project, then runs the read.
   * @throws DomainError `RATE_LIMIT_EXCEEDED` when the project's queue is full
   */
  async function run<Result>(projectId: string, read: () => Promise<Result>): Promise<Result> {
    if (perProject === 0) return read();
    if (isFull(projectId)) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', `Too many ${what} of this project at once`, {
        retryAfterSeconds,
      });
    }
    const slots = projects.get(projectId) ?? new FairSemaphore(perProject);
    projects.set(projectId, slots);
    try {
      return await slots.run(projectId, read);
    } finally {
      if (slots.isIdle) projects.delete(projectId);
    }
  }

  return {
    run,
    /** Like `run`, for optional figures: returns undefined when the queue is full. */
    runIfFree: async <Result>(projectId: string, read: () => Promise<Result>) =>
      isFull(projectId) ? undefined : run(projectId, read),
  };
}
