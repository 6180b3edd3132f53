import { DomainError } from '../../core/errors.ts';

/** Reads of one project whose cost grows with its contacts: searches, counts of segments and audiences. */
export interface HeavyReads {
  /**
   * Runs the read when it is its turn.
   * @throws DomainError `RATE_LIMIT_EXCEEDED` when too many of the project wait already
   */
  run<Result>(projectId: string, read: () => Promise<Result>): Promise<Result>;
  /** As `run`, for a figure that an answer can do without: undefined when too many wait. */
  runIfFree<Result>(projectId: string, read: () => Promise<Result>): Promise<Result | undefined>;
}

interface Turns {
  running: number;
  waiting: (() => void)[];
}

/** So many wait for each that runs; small projects are done with all of them in a moment. */
const waitingPerRunning = 12;
const retryAfterSeconds = 2;

/** @param perProject reads of a project that run at a time in this process; 0 for any number */
export function createHeavyReads(perProject: number): HeavyReads {
  const projects = new Map<string, Turns>();

  function isFull(projectId: string): boolean {
    const waiting = projects.get(projectId)?.waiting.length ?? 0;
    return perProject > 0 && waiting >= perProject * waitingPerRunning;
  }

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
      // The one that is next takes the place over.
      if (next !== undefined) next();
      else turns.running -= 1;
      if (turns.running === 0) projects.delete(projectId);
    }
  }

  return {
    run,
    runIfFree: async (projectId, read) => (isFull(projectId) ? undefined : run(projectId, read)),
  };
}
