import { LRUCache } from 'lru-cache';

const rememberedMs = 60_000;
const mostGroups = 10_000;

export interface FailingGroups {
  /** How many items of the group its next batch may have; undefined when none of its items has failed lately. */
  mostAlone(group: string): number | undefined;
  /** A batch of the group alone was rolled back. */
  failed(group: string, items: number): void;
  /** A batch of the group went well. */
  succeeded(group: string): void;
}

/**
 * Groups with an item that failed in the last minute. Their batches shrink by half with each failure, down to the
 * item that is at fault, and grow twofold with each success.
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
