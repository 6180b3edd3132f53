import { type ApiKeyKind, apiKeyLookupHash } from '../../core/crypto/api-key.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import { createChangeCache } from '../../db/change-cache.ts';
import type { DatabaseListener } from '../../db/database-listener.ts';
import type { Em } from '../../db/orm.ts';
import { type ApiProject, findProjectsByKeys } from '../../db/statements/access/find-callers.ts';

/** Also the longest that a change can go unnoticed when its notification is lost. */
const knownForMs = 5_000;
const unknownForMs = 2_000;
const mostKnown = 50_000;
const mostUnknown = 10_000;

interface Lookup {
  kind: ApiKeyKind;
  hash: Buffer;
}

export type ProjectKeys = ReturnType<typeof createProjectKeys>;

export function createProjectKeys(em: Em, lookupKey: Buffer, changes: DatabaseListener) {
  // Keyed by plain key: hashing, which only the database needs, costs a fifth of a cached request.
  const known = createChangeCache<ApiProject>(changes, {
    most: mostKnown,
    ttlMs: knownForMs,
    projectOf: (_key, project) => project.id,
  });
  const unknown = createChangeCache<true>(changes, { most: mostUnknown, ttlMs: unknownForMs });

  const lookups = new Batcher<Lookup, ApiProject | undefined>({
    run: (items) => readProjects(em, items),
    maxItems: 200,
    concurrency: 2,
  });

  async function load(kind: ApiKeyKind, key: string): Promise<ApiProject | undefined> {
    const [keepKnown, keepUnknown] = [known.beforeRead(), unknown.beforeRead()];
    const project = await lookups.submit({ kind, hash: apiKeyLookupHash(lookupKey, key) });
    if (project === undefined) keepUnknown(key, true);
    else keepKnown(key, project);
    return project;
  }

  return {
    /** Returns undefined for an unknown key, and answers synchronously when the key is cached. */
    find: (kind: ApiKeyKind, key: string) => {
      const project = known.get(key);
      if (project !== undefined) return project;
      return unknown.get(key) ? undefined : load(kind, key);
    },
    /** Drops the project from this process's cache. Call it after a change instead of waiting for the notification. */
    forget(projectId: string) {
      known.forget(projectId);
      unknown.forget(projectId);
    },
  };
}

async function readProjects(em: Em, items: readonly Lookup[]): Promise<(ApiProject | undefined)[]> {
  const hashesOf = (kind: ApiKeyKind) => items.filter((item) => item.kind === kind).map((item) => item.hash);
  const rows = await findProjectsByKeys(em, hashesOf('public'), hashesOf('secret'));
  return items.map((item) => {
    const row = rows.find((each) => each.kind === item.kind && item.hash.equals(each.hash));
    if (row === undefined) return undefined;
    const { kind, hash, ...project } = row;
    return project;
  });
}
