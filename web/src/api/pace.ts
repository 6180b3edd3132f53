import { ApiError } from './api-error.ts';

/** The share of a project's request limit that bulk work in the dashboard leaves to the project's applications. */
const shareOfOthers = 0.5;
const longestWaitSeconds = 60;

export interface Pace {
  <Answer extends { response: Response }>(call: () => Promise<Answer>): Promise<Answer>;
  /** Waits until a call is allowed. Check `isOver` afterward: the work may have been aborted during the wait. */
  ready: () => Promise<void>;
  /** Whether the work was aborted during the wait. */
  isOver: () => boolean;
}

/**
 * Runs the calls of bulk work one after the other. Once half of this minute's requests of the project are used, or one
 * gets 429 because all are, it waits for the next minute.
 *
 * @param signal ends the wait
 */
export function createPace(signal: AbortSignal): Pace {
  let waitMs = 0;
  const ready = async () => {
    await pause(waitMs, signal);
    waitMs = 0;
  };
  const pace = async <Answer extends { response: Response }>(
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    for (;;) {
      await ready();
      try {
        const answer = await call();
        waitMs = waitAfter(answer.response.headers);
        return answer;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 429) throw error;
        waitMs = 1000 * Math.min(longestWaitSeconds, Math.max(1, error.retryAfterSeconds));
        await ready();
        if (signal.aborted) throw error;
      }
    }
  };
  return Object.assign(pace, { ready, isOver: () => signal.aborted });
}

function waitAfter(headers: Headers): number {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`RateLimit-${name}`) ?? Number.NaN),
  ) as [number, number, number]; // as: parsed into one number per name
  return remaining < limit * shareOfOthers ? 1000 * Math.min(longestWaitSeconds, reset) : 0;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
