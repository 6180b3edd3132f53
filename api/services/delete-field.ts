import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type ContactPlace,
  forgetFieldType,
  removeKey,
} from '../../db/repositories/contacts/contact-fields.ts';
import { readKeyFigures } from '../../db/repositories/contacts/contact-figures.ts';

/** Contacts that are looked at, and locked if they have the key, at a time. */
const contactsAtATime = 2_000;

/**
 * Takes a key from every contact of the project, each batch in a transaction of its own, and forgets its type.
 *
 * The type goes first, so that a value written from now on is given a type anew. A write that is under way may still
 * rely on the old one and leave the key behind us; the sweep that folds the figures gives such a key a type, and it
 * does the same for the rest when this ends half-way. What it has typed meanwhile is forgotten at the end.
 *
 * @returns how many contacts had the key
 */
export async function deleteField(orm: Orm, projectId: string, key: string): Promise<number> {
  await forgetFieldType(orm.em.fork(), projectId, key);
  let deletedFrom = 0;
  let last: ContactPlace | undefined;
  do {
    const after = last;
    const batch = await retrySerialization(() =>
      removeKey(orm.em.fork(), projectId, key, after, contactsAtATime),
    );
    deletedFrom += batch.removed;
    last = batch.last;
  } while (last !== undefined);
  const left = await readKeyFigures(orm.em.fork(), projectId, key);
  if (left.size === 0) await forgetFieldType(orm.em.fork(), projectId, key);
  return deletedFrom;
}
