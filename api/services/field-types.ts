import { LRUCache } from 'lru-cache';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { JsonObject } from '../../core/json-value.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { learnFieldTypes, type NewFieldType } from '../../db/repositories/contacts/contact-fields.ts';
import type { ProjectChanges } from '../edge/project-changes.ts';

/** What a write does to the data of a contact; null removes a key. */
export interface DataWrite {
  projectId: string;
  patch: JsonObject;
}

export interface FieldTypes {
  /**
   * Runs what writes to contacts. The type of each key that a project sees for the first time is fixed in the same
   * transaction, so that a write that is refused fixes none; costs nothing for known keys.
   *
   * @param run throws to refuse the writes
   */
  write<Result>(writes: readonly DataWrite[], run: (em: Em) => Promise<Result>): Promise<Result>;
}

/**
 * Keys of projects whose type is fixed in the database. A type never changes, but a field may be deleted, which
 * every process is told of; one that can't be told looks at the database each time.
 */
export function createFieldTypes(orm: Orm, changes: ProjectChanges): FieldTypes {
  const known = new LRUCache<string, true>({ max: 200_000 });
  // Raised by each change: what was fixed before a change must not count as known after it.
  let generation = 0;
  changes.onChange((projectId) => {
    generation += 1;
    if (projectId === null) known.clear();
    else forgetKeys(known, `${projectId} `);
  });

  function newFields(writes: readonly DataWrite[]): Map<string, NewFieldType> {
    const fields = new Map<string, NewFieldType>();
    for (const { projectId, patch } of writes) {
      for (const [key, value] of Object.entries(patch)) {
        const name = `${projectId} ${key}`;
        if (value === null || fields.has(name) || (changes.isConnected && known.has(name))) continue;
        fields.set(name, { projectId, key, type: inferFieldType(value) });
      }
    }
    return fields;
  }

  return {
    async write(writes, run) {
      const fields = newFields(writes);
      if (fields.size === 0) return run(orm.em.fork());
      const asked = generation;
      const result = await orm.em.fork().transactional(async (em) => {
        const written = await run(em);
        await learnFieldTypes(em, [...fields.values()]);
        return written;
      });
      if (asked === generation && changes.isConnected)
        for (const name of fields.keys()) known.set(name, true);
      return result;
    },
  };
}

function forgetKeys(known: LRUCache<string, true>, prefix: string): void {
  for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
}
