import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsSince } from '../../core/cpu-time.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { createTemplateCache } from '../../core/rendering/template-cache.ts';
import { leaveShortPlace } from './short-place.ts';

export type TemplateTurns = ReturnType<typeof createTemplateTurns>;

/** CPU time; few templates take longer to parse or render. */
const longMs = 10;
const restsPerWork = 3;
/** Long work that a project may do before it must rest: the first templates of a process take long, however small. */
const freeMs = 100;
/** Waiting calls hold their bodies in memory. */
const mostWaiting = 100;
const retryAfterSeconds = 2;

/** The compiled templates of a process, and the CPU time that it spends on each project's templates. */
export function createTemplateTurns() {
  /** When each project has rested enough for what it has parsed and rendered. */
  const restedAt = new Map<string, number>();
  const resting = new FairSemaphore(Number.POSITIVE_INFINITY, { perOwner: mostWaiting });

  /** Rest still due, in milliseconds; not positive when none is due. */
  const restOf = (projectId: string) =>
    (restedAt.get(projectId) ?? 0) - performance.now() - freeMs * restsPerWork;

  async function rest(projectId: string, ms: number, refusal: ErrorCode): Promise<void> {
    if (!resting.hasRoom(projectId)) {
      throw new DomainError(refusal, 'Too many large templates of this project at once', {
        retryAfterSeconds,
      });
    }
    leaveShortPlace();
    await resting.run(projectId, () => delay(ms));
  }

  function charge(projectId: string, workMs: number): void {
    const now = performance.now();
    restedAt.set(projectId, Math.max(now, restedAt.get(projectId) ?? 0) + workMs * restsPerWork);
    for (const [id, at] of restedAt) if (at < now) restedAt.delete(id);
  }

  return {
    cache: createTemplateCache(),

    /**
     * Runs `work`, which parses or renders and so blocks every request of the process. After work that took long, the
     * project rests three times as long, so that others get most of the process.
     * @throws DomainError `refusal` when too many calls of the project wait for the end of a rest
     */
    async inTurn<Result>(
      projectId: string,
      work: () => Result,
      refusal: ErrorCode = 'RATE_LIMIT_EXCEEDED',
    ): Promise<Result> {
      for (let ms = restOf(projectId); ms > 0; ms = restOf(projectId)) await rest(projectId, ms, refusal);
      const before = process.threadCpuUsage();
      try {
        return work();
      } finally {
        const workMs = cpuMsSince(before);
        if (workMs >= longMs) charge(projectId, workMs);
      }
    },
  };
}
