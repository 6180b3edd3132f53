import { inferFieldType } from '../../../core/contact-data/infer-field-type.ts';
import { limitReached } from '../../../db/database-errors.ts';
import type { Em } from '../../../db/orm.ts';
import { foldContactFigures } from '../../../db/statements/contacts/contact-figures.ts';
import { lockValueOfKey, recordFieldTypes } from '../../../db/statements/contacts/contact-keys.ts';

const changesAtATime = 5_000;

/**
 * Folds all pending changes of contact figures, one transaction per batch.
 *
 * A data key in use without a type gets the type of one of its values; such keys remain when a write races with the
 * deletion of their field.
 */
export async function foldFigures(em: Em): Promise<{ folded: number; typed: number }> {
  const untyped = new Map<string, { projectId: string; key: string }>();
  let folded = 0;
  for (;;) {
    const batch = await foldContactFigures(em, changesAtATime);
    folded += batch.folded;
    for (const one of batch.untyped) untyped.set(`${one.projectId} ${one.key}`, one);
    if (batch.folded < changesAtATime) break;
  }
  let typed = 0;
  for (const { projectId, key } of untyped.values()) {
    if (await typeKey(em, projectId, key)) typed += 1;
  }
  return { folded, typed };
}

async function typeKey(em: Em, projectId: string, key: string): Promise<boolean> {
  const typing = em.transactional(async (transaction) => {
    const value = await lockValueOfKey(transaction, projectId, key);
    if (value === undefined || value === null) return false;
    await recordFieldTypes(transaction, [{ projectId, key, type: inferFieldType(value) }]);
    return true;
  });
  try {
    return await typing;
  } catch (error) {
    if (limitReached(error) === undefined) throw error;
    return false;
  }
}
