import { LRUCache } from 'lru-cache';

/** Of a project whose receivers are slow, and of all such projects: the activity slots are for other work too. */
const [slowCallsAtOnce, slowCallsInAll] = [8, 20];
/** Of a project in any case, however many calls of others are under way. */
const ownCalls = 2;
const slowMs = 3_000;
/** How long after its last slow call a project counts as slow. */
const rememberedMs = 60_000;

export type CallLimit = ReturnType<typeof createCallLimit>;

/**
 * Limits the calls of this process to receivers that are slow or do not answer, by project. Calls of other projects are
 * never held up.
 */
export function createCallLimit(now: () => number = () => performance.now()) {
  const slowSince = new LRUCache<string, number>({ max: 10_000 });
  const running = new Map<string, number>();
  const isSlow = (projectId: string) => now() - (slowSince.get(projectId) ?? -Infinity) < rememberedMs;
  const runningOf = (projectId: string) => running.get(projectId) ?? 0;

  function mayCall(projectId: string): boolean {
    if (!isSlow(projectId)) return true;
    const own = runningOf(projectId);
    const inAll = [...running].reduce((sum, [id, calls]) => sum + (isSlow(id) ? calls : 0), 0);
    return own < ownCalls || (own < slowCallsAtOnce && inAll < slowCallsInAll);
  }

  return {
    /** Whether `run` would make a call of the project now. */
    mayCall,
    /** @returns undefined, without the call, if enough slow ones of the project or of all projects are under way */
    async run<Result>(projectId: string, call: () => Promise<Result>): Promise<Result | undefined> {
      if (!mayCall(projectId)) return undefined;
      const startedAt = now();
      running.set(projectId, runningOf(projectId) + 1);
      try {
        return await call();
      } finally {
        if (now() - startedAt >= slowMs) slowSince.set(projectId, now());
        const left = runningOf(projectId) - 1;
        if (left > 0) running.set(projectId, left);
        else running.delete(projectId);
      }
    },
  };
}
