import { LRUCache } from 'lru-cache';
import { crowdedRetryMs } from '../sending/render-turns.ts';

/**
 * Of a project whose receivers have not answered quickly in the last minute, and of all such projects: the activity slots
 * are for other work too.
 */
const [unprovenAtOnce, unprovenInAll] = [8, 20];
/** Of a project in any case, however many calls of others are under way. */
const ownCalls = 2;
const slowMs = 3_000;
/** How long its last quick and its last slow call count for a project. */
const rememberedMs = 60_000;
/** Its first answers come soon, or not at all. */
const unansweredRetryMs = 1_000;

export type CallLimit = ReturnType<typeof createCallLimit>;

/**
 * Limits the calls of this process, by project, to receivers that are slow or do not answer, and to receivers that nobody
 * has called lately: they may hang, and a burst would fill all activity slots. Quick ones have no limit: calls that come
 * back later cost more than those that wait in the task queue.
 */
export function createCallLimit(now: () => number = () => performance.now()) {
  const slow = createMemory(now);
  const quick = createMemory(now);
  const running = new Map<string, number>();
  const runningOf = (projectId: string) => running.get(projectId) ?? 0;
  const isProven = (projectId: string) => quick.has(projectId) && !slow.has(projectId);

  function mayCall(projectId: string): boolean {
    if (isProven(projectId)) return true;
    const own = runningOf(projectId);
    const inAll = [...running].reduce((sum, [id, calls]) => sum + (isProven(id) ? 0 : calls), 0);
    return own < ownCalls || (own < unprovenAtOnce && inAll < unprovenInAll);
  }

  return {
    /** Whether `run` would make a call of the project now. */
    mayCall,
    /** When to ask again for a call that `run` would not make. Random, so that its calls do not all return at once. */
    retryInMs: (projectId: string) =>
      slow.has(projectId) ? crowdedRetryMs() : unansweredRetryMs * (1 + Math.random()),
    /** @returns undefined, without the call, if enough of the project or of all unproven ones are under way */
    async run<Result>(projectId: string, call: () => Promise<Result>): Promise<Result | undefined> {
      if (!mayCall(projectId)) return undefined;
      const startedAt = now();
      running.set(projectId, runningOf(projectId) + 1);
      try {
        return await call();
      } finally {
        (now() - startedAt >= slowMs ? slow : quick).note(projectId);
        const left = runningOf(projectId) - 1;
        if (left > 0) running.set(projectId, left);
        else running.delete(projectId);
      }
    },
  };
}

function createMemory(now: () => number) {
  const notedAt = new LRUCache<string, number>({ max: 10_000 });
  return {
    note: (projectId: string) => notedAt.set(projectId, now()),
    has: (projectId: string) => now() - (notedAt.get(projectId) ?? -Infinity) < rememberedMs,
  };
}
