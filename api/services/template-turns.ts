import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import { createTemplateCache } from '../../core/rendering/template-cache.ts';

export type TemplateTurns = ReturnType<typeof createTemplateTurns>;

/** Few templates take longer to parse or to render. */
const longMs = 20;
const restsPerWork = 3;
/** More than a burst of calls that a pause of the process itself, such as for garbage, has let wait. */
const mostWaiting = 100;
const retryAfterSeconds = 2;

/** The compiled templates of a process, and the time that it spends on those of each project. */
export function createTemplateTurns() {
  const rests = new Map<string, Promise<void>>();
  const waiting = new Map<string, number>();

  async function waitForRest(projectId: string): Promise<void> {
    const others = waiting.get(projectId) ?? 0;
    if (others >= mostWaiting) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many large templates of this project at once', {
        suggestion: `Try again in ${retryAfterSeconds} seconds.`,
        retryAfterSeconds,
      });
    }
    waiting.set(projectId, others + 1);
    await rests.get(projectId);
    const left = (waiting.get(projectId) ?? 0) - 1;
    if (left > 0) waiting.set(projectId, left);
    else waiting.delete(projectId);
  }

  return {
    cache: createTemplateCache(),

    /**
     * Parses or renders, which holds up every request of the process. After what took long, the project rests for three
     * times as long, so that others have most of the process.
     * @throws DomainError `RATE_LIMIT_EXCEEDED` when too much waits for the end of a rest
     */
    async inTurn<Result>(projectId: string, work: () => Result): Promise<Result> {
      while (rests.has(projectId)) await waitForRest(projectId);
      const began = performance.now();
      try {
        return work();
      } finally {
        const tookMs = performance.now() - began;
        if (tookMs >= longMs) {
          const rest = delay(tookMs * restsPerWork).then(() => void rests.delete(projectId));
          rests.set(projectId, rest);
        }
      }
    },
  };
}
