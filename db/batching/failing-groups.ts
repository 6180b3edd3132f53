import { LRUCache } from 'lru-cache';

const rememberedMs = 60_000;
const mostGroups = 10_000;

export type FailingGroups = ReturnType<typeof createFailingGroups>;

/**
 * Groups with a failed item in the last minute. Their batch size halves with each failure, down to the bad item, and
 * doubles with each success.
 */
export function createFailingGroups(maxItems: number) {
  const groups = new LRUCache<string, { most: number }>({ max: mostGroups, ttl: rememberedMs });
  return {
    /** Maximum size of the group's next batch; undefined when it had no failure in the last minute. */
    mostAlone: (group: string) => groups.get(group)?.most,
    failed: (group: string, items: number) => groups.set(group, { most: Math.max(1, items >> 1) }),
    succeeded: (group: string) => {
      const failing = groups.get(group);
      if (failing !== undefined) failing.most = Math.min(maxItems, failing.most * 2);
    },
  };
}
