import { LRUCache } from 'lru-cache';
import { type ApiKeyKind, apiKeyLookupHash } from '../../core/crypto/api-key.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import type { Em } from '../../db/orm.ts';
import { hasSendLimitSql } from '../../db/repositories/billing/limits.ts';
import { sql } from '../../db/sql.ts';
import type { ProjectChanges } from './project-changes.ts';
import type { ApiProject } from './route.ts';

/** How long a key is known without asking; also the longest that a change nobody announced goes unseen. */
const knownForMs = 5_000;
/** How long a key that does not exist is known not to. */
const unknownForMs = 2_000;
const mostKnown = 50_000;
const mostUnknown = 10_000;

interface Lookup {
  kind: ApiKeyKind;
  hash: Buffer;
}

interface KeyRow {
  kind: ApiKeyKind;
  hash: Buffer;
  id: string;
  disabled: boolean;
  disabled_reason: string | null;
  suppress_transactional: boolean;
  has_send_limit: boolean;
}

export interface ProjectKeys {
  /** The project of a key, undefined when no project has it. Answers at once when the key is cached. */
  find(kind: ApiKeyKind, key: string): ApiProject | undefined | Promise<ApiProject | undefined>;
  /** Drops what is known of a project in this process, at once. For the caller that just changed it. */
  forget(projectId: string): void;
}

export interface ProjectKeysOptions {
  em: Em;
  /** Derived for the purpose `api-key-lookup`. */
  lookupKey: Buffer;
  changes: ProjectChanges;
}

/** Finds projects by key, through a cache that is dropped as soon as a project changes in any process. */
export function createProjectKeys(options: ProjectKeysOptions): ProjectKeys {
  const { em, lookupKey, changes } = options;
  // By the keys themselves: their hash, which only the database needs, costs a fifth of a cached request.
  const known = new LRUCache<string, ApiProject>({ max: mostKnown, ttl: knownForMs });
  const unknown = new LRUCache<string, true>({ max: mostUnknown, ttl: unknownForMs });
  /** Raised by every change, so that an answer from before a change is not cached after it. */
  let generation = 0;

  const lookups = createBatcher<Lookup, ApiProject | undefined>({
    run: (items) => readProjects(em, items),
    maxItems: 200,
    concurrency: 2,
    isRolledBack,
  });

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
    find: (kind, key) => {
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
  const rows = await sql<KeyRow>(
    em,
    `select 'public' as kind, public_key_hash as hash, id, disabled, disabled_reason, suppress_transactional,
         ${hasSendLimitSql('projects.id')} as has_send_limit
       from projects where public_key_hash = any($1::bytea[])
     union all
     select 'secret', secret_key_hash, id, disabled, disabled_reason, suppress_transactional,
         ${hasSendLimitSql('projects.id')}
       from projects where secret_key_hash = any($2::bytea[])`,
    [hashesOf('public'), hashesOf('secret')],
  );
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
