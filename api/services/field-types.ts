import { LRUCache } from 'lru-cache';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';
import type { Orm } from '../../db/orm.ts';
import { learnFieldTypes } from '../../db/repositories/contact-fields.ts';

export interface FieldTypes {
  /** Fixes the type of each key that the project sees for the first time; costs nothing for known keys. */
  learn(projectId: string, data: ContactData): Promise<void>;
}

/** Keys of projects whose type is fixed in the database. Types never change, so nothing here goes stale. */
export function createFieldTypes(orm: Orm): FieldTypes {
  const known = new LRUCache<string, true>({ max: 200_000 });
  return {
    async learn(projectId, data) {
      const fresh = Object.entries(data.set).filter(([key]) => !known.has(`${projectId} ${key}`));
      if (fresh.length === 0) return;
      const fields = fresh.flatMap(([key, value]) =>
        value === null ? [] : [{ key, type: inferFieldType(value) }],
      );
      await learnFieldTypes(orm.em.fork(), projectId, fields);
      for (const { key } of fields) known.set(`${projectId} ${key}`, true);
    },
  };
}
