import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import { limitReached } from '../../db/batching/is-rolled-back.ts';
import type { Em } from '../../db/orm.ts';
import { holdValueOfKey, learnFieldTypes } from '../../db/repositories/contacts/contact-fields.ts';
import { foldContactFigures } from '../../db/repositories/contacts/contact-figures.ts';

const changesAtATime = 5_000;

/**
 * Folds all changes of the audiences' figures that it finds, each batch in a transaction of its own.
 *
 * A key that contacts have without a type gets the type of one of its values: a write that met the deletion of its
 * field leaves such keys.
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

/** A key that is one too many for the project stays without a type, as no call can bring it in. */
async function typeKey(em: Em, projectId: string, key: string): Promise<boolean> {
  const typing = em.transactional(async (transaction) => {
    const value = await holdValueOfKey(transaction, projectId, key);
    if (value === undefined || value === null) return false;
    await learnFieldTypes(transaction, [{ projectId, key, type: inferFieldType(value) }]);
    return true;
  });
  try {
    return await typing;
  } catch (error) {
    if (limitReached(error) === undefined) throw error;
    return false;
  }
}
