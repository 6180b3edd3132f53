import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * Activity slots that the jobs of a project hold in this process. A few parts are written at a time: more jobs would only
 * wait there, and other activities of all projects need the slots.
 */
const jobsAtOnce = 4;
/** Grows with the attempts, up to so many: hundreds of jobs that came back each second would take all CPU. */
const mostFactor = 10;
const delayMs = 2_000;

export function createJobLimit() {
  const running = new Map<string, number>();
  /**
   * @param attempt of the activity
   * @throws ApplicationFailure, to be tried again later, while enough jobs of the project are running
   */
  return async <Result>(projectId: string, attempt: number, job: () => Promise<Result>): Promise<Result> => {
    const own = running.get(projectId) ?? 0;
    if (own >= jobsAtOnce) {
      throw ApplicationFailure.create({
        message: 'Other jobs of the project are running',
        category: ApplicationFailureCategory.BENIGN,
        nextRetryDelay: Math.round(Math.min(attempt, mostFactor) * delayMs * (0.5 + Math.random())),
      });
    }
    running.set(projectId, own + 1);
    try {
      return await job();
    } finally {
      const left = (running.get(projectId) ?? 0) - 1;
      if (left > 0) running.set(projectId, left);
      else running.delete(projectId);
    }
  };
}
