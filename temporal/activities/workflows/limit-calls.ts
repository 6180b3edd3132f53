import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { crowdedRetryMs } from '../sending/render-turns.ts';

/**
 * Of a project whose receivers have not answered quickly in the last minute, and of all such projects: the activity slots
 * are for other work too.
 */
const [unprovenAtOnce, unprovenInAll] = [8, 20];
/** Of a project in any case, however many calls of others are under way. */
const ownCalls = 2;
/** Of a project whose receivers answer quickly, because they may hang at any time, and of all projects. */
const [quickAtOnce, callsInAll] = [24, 32];
/** Calls beyond wait for one to end, as long as answers arrive: to come back costs more. */
const [lookEveryMs, mostLooks, silentMs] = [20, 25, 250];
const slowMs = 3_000;
/** How long its last quick and its last slow call count for a project. */
const rememberedMs = 60_000;
/** Its first answers come soon, or not at all. */
const unansweredRetryMs = 1_000;

export type CallLimit = ReturnType<typeof createCallLimit>;

/**
 * Limits the calls of this process by project, most of all those to receivers that are slow or do not answer, and those to
 * receivers that nobody has called lately: they may hang, and a burst would fill all activity slots. Receivers that answer
 * quickly rarely have as many calls under way as they may.
 */
export function createCallLimit(now: () => number = () => performance.now()) {
  const slow = createMemory(now);
  const quick = createMemory(now);
  const running = new Map<string, number>();
  const runningOf = (projectId: string) => running.get(projectId) ?? 0;
  const isProven = (projectId: string) => quick.has(projectId) && !slow.has(projectId);
  const isAnswering = (projectId: string) => isProven(projectId) && quick.has(projectId, silentMs);

  function hasRoom(projectId: string): boolean {
    const own = runningOf(projectId);
    if (own < ownCalls) return true;
    const sum = (counts: (id: string) => boolean) =>
      [...running].reduce((calls, [id, more]) => calls + (counts(id) ? more : 0), 0);
    if (sum(() => true) >= callsInAll) return false;
    if (isProven(projectId)) return own < quickAtOnce;
    return own < unprovenAtOnce && sum((id) => !isProven(id)) < unprovenInAll;
  }

  return {
    /** Whether `run` would make a call of the project, now or within moments. */
    mayCall: (projectId: string) => hasRoom(projectId) || isAnswering(projectId),
    /** When to ask again for a call that `run` would not make. Random, so that its calls do not all return at once. */
    retryInMs: (projectId: string) =>
      slow.has(projectId) ? crowdedRetryMs() : unansweredRetryMs * (1 + Math.random()),
    /** @returns undefined, without the call, if enough of the project or of all unproven ones are under way */
    async run<Result>(projectId: string, call: () => Promise<Result>): Promise<Result | undefined> {
      for (let looks = 0; !hasRoom(projectId); looks += 1) {
        if (looks === mostLooks || !isAnswering(projectId)) return undefined;
        await delay(lookEveryMs);
      }
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
    has: (projectId: string, withinMs = rememberedMs) =>
      now() - (notedAt.get(projectId) ?? -Infinity) < withinMs,
  };
}
