import { LRUCache } from 'lru-cache';

const rememberedMs = 60_000;
const mostGroups = 10_000;

export interface FailingGroups {
  /** Maximum size of the group's next batch; undefined when it had no failure in the last minute. */
  mostAlone(group: string): number | undefined;
  failed(group: string, items: number): void;
  succeeded(group: string): void;
}

/**
 * Groups with a failed item in the last minute. Their batch size halves with each failure, down to the bad item, and
 * doubles with each success.
 */
export function createFailingGroups(maxItems: number): FailingGroups {
  const groups = new LRUCache<string, { most: number }>({ max: mostGroups, ttl: rememberedMs });
  return {
    mostAlone: (group) => (groups.size === 0 ? undefined : groups.get(group)?.most),
    failed: (group, items) => groups.set(group, { most: Math.max(1, items >> 1) }),
    succeeded: (group) => {
      const failing = groups.size === 0 ? undefined : groups.get(group);
      if (failing !== undefined) failing.most = Math.min(maxItems, failing.most * 2);
    },
  };
}
