import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { comeBackLater } from '../come-back-later.ts';

/**
 * Activity slots that the jobs of a project hold in this process. A few parts are written at a time: more jobs would only
 * wait there, and other activities of all projects need the slots.
 */
const jobsAtOnce = 4;
/** The delay grows with the attempts, up to this factor: hundreds of jobs coming back each second would take all CPU. */
const mostFactor = 10;
const delayMs = 2_000;

export function createJobLimit() {
  const places = new FairSemaphore(Number.POSITIVE_INFINITY, { perOwner: jobsAtOnce });
  /**
   * @param attempt of the activity
   * @throws ApplicationFailure, to be tried again later, while enough jobs of the project are running
   */
  return async <Result>(projectId: string, attempt: number, job: () => Promise<Result>): Promise<Result> => {
    if (places.hasRoom(projectId)) return places.run(projectId, job);
    const usualMs = Math.min(attempt, mostFactor) * delayMs;
    throw comeBackLater('Other jobs of the project are running', 0.5 * usualMs, 1.5 * usualMs);
  };
}
