import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/at-most.ts';
import { type ApiKeyKind, apiKeyLookupHash } from '../../core/crypto/api-key.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/database-errors.ts';
import type { Em } from '../../db/orm.ts';
import type { ProjectChanges } from '../../db/project-changes.ts';
import { findProjectsByKeys } from '../../db/statements/access/find-projects-by-keys.ts';
import type { ApiProject } from './identity.ts';

/** Also the longest that a change goes unnoticed when its notification is lost. */
const knownForMs = 5_000;
const unknownForMs = 2_000;
const mostKnown = 50_000;
const mostUnknown = 10_000;

interface Lookup {
  kind: ApiKeyKind;
  hash: Buffer;
}

export type ProjectKeys = ReturnType<typeof createProjectKeys>;

export function createProjectKeys(em: Em, lookupKey: Buffer, changes: ProjectChanges) {
  // Keyed by plain key: hashing, which only the database needs, costs a fifth of a cached request.
  const known = new LRUCache<string, ApiProject>({ ...atMost(mostKnown), ttl: knownForMs });
  const unknown = new LRUCache<string, true>({ ...atMost(mostUnknown), ttl: unknownForMs });
  // Incremented by every change, so that an answer read before a change is not cached after it.
  let generation = 0;

  const lookups = createBatcher<Lookup, ApiProject | undefined>({
    run: (items) => readProjects(em, items),
    maxItems: 200,
    concurrency: 2,
    isRolledBack,
  });

  /** Drops the project from this process's cache. Call it after a change instead of waiting for the notification. */
  function forget(projectId: string | null): void {
    generation += 1;
    unknown.clear();
    if (projectId === null) known.clear();
    else for (const [key, project] of known.entries()) if (project.id === projectId) known.delete(key);
  }
  changes.onChange(forget);

  async function load(kind: ApiKeyKind, key: string): Promise<ApiProject | undefined> {
    const before = generation;
    const project = await lookups.submit({ kind, hash: apiKeyLookupHash(lookupKey, key) });
    if (changes.isConnected && before === generation) {
      if (project === undefined) unknown.set(key, true);
      else known.set(key, project);
    }
    return project;
  }

  return {
    /** Returns undefined for an unknown key, and answers synchronously when the key is cached. */
    find: (kind: ApiKeyKind, key: string) => {
      if (changes.isConnected) {
        const project = known.get(key);
        if (project !== undefined) return project;
        if (unknown.has(key)) return undefined;
      }
      return load(kind, key);
    },
    forget,
  };
}

async function readProjects(em: Em, items: readonly Lookup[]): Promise<(ApiProject | undefined)[]> {
  const hashesOf = (kind: ApiKeyKind) => items.filter((item) => item.kind === kind).map((item) => item.hash);
  const rows = await findProjectsByKeys(em, hashesOf('public'), hashesOf('secret'));
  return items.map((item) => {
    const row = rows.find((each) => each.kind === item.kind && item.hash.equals(each.hash));
    if (row === undefined) return undefined;
    return {
      id: row.id,
      disabled: row.disabled,
      disabledReason: row.disabled_reason,
      suppressTransactional: row.suppress_transactional,
      hasSendLimit: row.has_send_limit,
    };
  });
}
