import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { ProjectChanges } from './project-changes.ts';

export interface ChangeCacheOptions<Value> {
  most: number;
  ttlMs?: number;
  isOf(projectId: string, key: string, value: Value): boolean;
}

/**
 * Caches data of projects until the project changes in any process. Returns nothing while change notifications may be
 * missed.
 */
export function createChangeCache<Value extends NonNullable<unknown>>(
  changes: Pick<ProjectChanges, 'isConnected' | 'onChange'>,
  { most, ttlMs = 0, isOf }: ChangeCacheOptions<Value>,
) {
  const cache = new LRUCache<string, Value>({ ...atMost(most), ttl: ttlMs });
  // Incremented by every change, so that a value read before a change is not cached after it.
  let generation = 0;

  /** For a change made by this process, which need not wait for its notification. */
  function forget(projectId: string | null): void {
    generation += 1;
    if (projectId === null) cache.clear();
    else for (const [key, value] of cache.entries()) if (isOf(projectId, key, value)) cache.delete(key);
  }
  changes.onChange(forget);

  return {
    get: (key: string): Value | undefined => (changes.isConnected ? cache.get(key) : undefined),
    /** Call before the read. @returns stores the value read, unless a project has changed in the meantime */
    beforeRead() {
      const before = generation;
      return (key: string, value: Value): void => {
        if (changes.isConnected && before === generation) cache.set(key, value);
      };
    },
    forget,
  };
}
