import { LRUCache } from 'lru-cache';
import { atMost } from '../core/at-most.ts';
import type { DatabaseListener } from './database-listener.ts';

export interface ChangeCacheOptions<Value> {
  most: number;
  ttlMs?: number;
  /** The project whose changes drop an entry. Without it every change drops all entries. */
  projectOf?(key: string, value: Value): string;
}

/**
 * Caches data of projects until the project changes in any process. Returns nothing while change notifications may be
 * missed.
 */
export function createChangeCache<Value extends NonNullable<unknown>>(
  changes: Pick<DatabaseListener, 'isConnected' | 'onProjectChange'>,
  { most, ttlMs = 0, projectOf }: ChangeCacheOptions<Value>,
) {
  // Exactly the keys in the cache, by project.
  const keysOf = new Map<string, Set<string>>();
  const list = (value: Value, key: string) => {
    if (projectOf === undefined) return;
    const projectId = projectOf(key, value);
    const keys = keysOf.get(projectId);
    if (keys === undefined) keysOf.set(projectId, new Set([key]));
    else keys.add(key);
  };
  const unlist = (value: Value, key: string) => {
    if (projectOf === undefined) return;
    const projectId = projectOf(key, value);
    const keys = keysOf.get(projectId);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(projectId);
  };
  const cache = new LRUCache<string, Value>({ ...atMost(most), ttl: ttlMs, dispose: unlist });
  // Incremented by every change, so that a value read before a change is not cached after it.
  let generation = 0;

  /** For a change made by this process, which need not wait for its notification. */
  function forget(projectId: string | null): void {
    generation += 1;
    if (projectId === null || projectOf === undefined) cache.clear();
    else for (const key of keysOf.get(projectId) ?? []) cache.delete(key);
  }
  changes.onProjectChange(forget);

  return {
    get: (key: string): Value | undefined => (changes.isConnected ? cache.get(key) : undefined),
    /** Call before the read. @returns stores the value read, unless a project has changed in the meantime */
    beforeRead() {
      const before = generation;
      return (key: string, value: Value): void => {
        if (!changes.isConnected || before !== generation) return;
        cache.set(key, value);
        list(value, key);
      };
    },
    forget,
    /** Projects with entries. */
    get projectCount() {
      return keysOf.size;
    },
  };
}
