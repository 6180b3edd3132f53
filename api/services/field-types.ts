import { LRUCache } from 'lru-cache';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';
import type { Orm } from '../../db/orm.ts';
import { learnFieldTypes } from '../../db/repositories/contacts/contact-fields.ts';
import type { ProjectChanges } from '../edge/project-changes.ts';

export interface FieldTypes {
  /** Fixes the type of each key that the project sees for the first time; costs nothing for known keys. */
  learn(projectId: string, data: ContactData): Promise<void>;
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
  return {
    async learn(projectId, data) {
      const isKnown = (key: string) => changes.isConnected && known.has(`${projectId} ${key}`);
      const fields = Object.entries(data.set).flatMap(([key, value]) =>
        value === null || isKnown(key) ? [] : [{ key, type: inferFieldType(value) }],
      );
      if (fields.length === 0) return;
      const asked = generation;
      await learnFieldTypes(orm.em.fork(), projectId, fields);
      if (asked !== generation || !changes.isConnected) return;
      for (const { key } of fields) known.set(`${projectId} ${key}`, true);
    },
  };
}

function forgetKeys(known: LRUCache<string, true>, prefix: string): void {
  for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
}
