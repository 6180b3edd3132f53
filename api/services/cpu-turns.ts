import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsSince } from '../../core/cpu-time.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { leaveShortPlace } from './short-place.ts';

const restsPerWork = 3;
/** Work that a project may do before it must rest: the first of a process takes long, however small. */
const freeMs = 100;
/** Waiting calls hold their bodies in memory. */
const mostWaiting = 100;
const retryAfterSeconds = 2;

/**
 * The CPU time that a process spends on some kind of work, by project or other owner.
 *
 * @param what names the work in errors
 * @param longMs work that takes less CPU time is not counted
 */
export function createCpuTurns(what: string, longMs = 0) {
  /** When each owner has rested enough for its work. */
  const restedAt = new Map<string, number>();
  /** The first call that waits holds the permit of its owner, so that none overtakes it. */
  const queue = new FairSemaphore(Number.POSITIVE_INFINITY, { perOwner: 1 });

  /** Rest still due, in milliseconds; not positive when none is due. */
  const restOf = (owner: string) => (restedAt.get(owner) ?? 0) - performance.now() - freeMs * restsPerWork;

  async function waitForTurn(owner: string, refusal: ErrorCode): Promise<() => void> {
    if (queue.held(owner) + queue.waiting(owner) >= mostWaiting) {
      throw new DomainError(refusal, `Too many ${what} at once`, { retryAfterSeconds });
    }
    leaveShortPlace();
    const release = await queue.acquire(owner);
    for (let ms = restOf(owner); ms > 0; ms = restOf(owner)) await delay(ms);
    return release;
  }

  function charge(owner: string, workMs: number): void {
    const now = performance.now();
    restedAt.set(owner, Math.max(now, restedAt.get(owner) ?? 0) + workMs * restsPerWork);
    for (const [id, at] of restedAt) if (at < now) restedAt.delete(id);
  }

  return {
    /**
     * Runs `work`, which blocks every request of the process until it returns, or first waits. An owner that keeps calling
     * gets a third of the process: it rests until three times the CPU time of its work has passed.
     * @throws DomainError `refusal` when too many calls of the owner wait for their turn
     */
    async inTurn<Result>(
      owner: string,
      work: () => Result,
      refusal: ErrorCode = 'RATE_LIMIT_EXCEEDED',
    ): Promise<Result> {
      const mustWait = restOf(owner) > 0 || queue.held(owner) > 0;
      const release = mustWait ? await waitForTurn(owner, refusal) : undefined;
      const before = process.threadCpuUsage();
      try {
        return work();
      } finally {
        const workMs = cpuMsSince(before);
        if (workMs >= longMs) charge(owner, workMs);
        release?.();
      }
    },
  };
}
