import { DomainError } from '../../core/errors.ts';

export type HeavyReads = ReturnType<typeof createHeavyReads>;

interface Turns {
  running: number;
  waiting: (() => void)[];
}

const waitingPerRunning = 12;
const retryAfterSeconds = 2;

/**
 * Limits concurrent reads whose cost grows with a project's contacts: searches, segment counts, audience counts.
 * @param perProject concurrent reads per project in this process; 0 means unlimited
 */
export function createHeavyReads(perProject: number) {
  const projects = new Map<string, Turns>();

  function isFull(projectId: string): boolean {
    const waiting = projects.get(projectId)?.waiting.length ?? 0;
    return perProject > 0 && waiting >= perProject * waitingPerRunning;
  }

  /**
   * Waits for a free slot of the project, then runs the read.
   * @throws DomainError `RATE_LIMIT_EXCEEDED` when the project's queue is full
   */
  async function run<Result>(projectId: string, read: () => Promise<Result>): Promise<Result> {
    if (perProject === 0) return read();
    if (isFull(projectId)) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many searches and counts of this project at once', {
        suggestion: `Try again in ${retryAfterSeconds} seconds.`,
        retryAfterSeconds,
      });
    }
    const turns = projects.get(projectId) ?? { running: 0, waiting: [] };
    projects.set(projectId, turns);
    if (turns.running < perProject) turns.running += 1;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await read();
    } finally {
      const next = turns.waiting.shift();
      // The slot passes to the next read.
      if (next !== undefined) next();
      else turns.running -= 1;
      if (turns.running === 0) projects.delete(projectId);
    }
  }

  return {
    run,
    /** Like `run`, for optional figures: returns undefined when the queue is full. */
    runIfFree: async <Result>(projectId: string, read: () => Promise<Result>) =>
      isFull(projectId) ? undefined : run(projectId, read),
  };
}
