import { inferFieldType } from '../../../core/contact-data/infer-field-type.ts';
import type { ImportRow } from '../../../core/contact-import/read-row.ts';
import { limitReached } from '../../../db/database-errors.ts';
import type { Em } from '../../../db/orm.ts';
import { type NewFieldType, recordFieldTypes } from '../../../db/statements/contacts/record-field-types.ts';
import { JobFailure } from './run-job.ts';

export function createFieldTypeLearner(
  em: Em,
  projectId: string,
): (rows: readonly ImportRow[]) => Promise<void> {
  const known = new Set<string>();
  return async (rows) => {
    const fresh: NewFieldType[] = [];
    for (const row of rows) {
      if (!row.ok) continue;
      for (const [key, value] of Object.entries(row.data)) {
        if (value === null || known.has(key)) continue;
        known.add(key);
        fresh.push({ projectId, key, type: inferFieldType(value) });
      }
    }
    try {
      await recordFieldTypes(em, fresh);
    } catch (error) {
      if (limitReached(error) === undefined) throw error;
      throw new JobFailure('The project would have more than 10,000 keys of data');
    }
  };
}
