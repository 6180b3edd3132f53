import type { Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import { deleteFieldType } from '../../db/statements/contacts/delete-field-type.ts';
import { readKeyFigures } from '../../db/statements/contacts/read-contact-figures.ts';
import { type ContactPlace, removeKey } from '../../db/statements/contacts/remove-key.ts';

/** Contacts per batch; the batch locks those that have the key. */
const contactsAtATime = 2_000;

/**
 * Removes a key from all contacts, one transaction per batch, and deletes its type.
 *
 * The type goes first, so that new values fix a new one. A concurrent write may still rely on the old type and leave
 * the key on a contact that was already processed. The sweep that folds the figures then fixes a type for it, as it
 * does for the rest when this call is interrupted. A type that the sweep fixed in the meantime is deleted at the end.
 *
 * @returns the number of contacts that had the key
 */
export async function deleteField(orm: Orm, projectId: string, key: string): Promise<number> {
  await deleteFieldType(orm.em.fork(), projectId, key);
  let deletedFrom = 0;
  let last: ContactPlace | undefined;
  do {
    const after = last;
    const batch = await retryTransaction(() =>
      removeKey(orm.em.fork(), projectId, key, after, contactsAtATime),
    );
    deletedFrom += batch.removed;
    last = batch.last;
  } while (last !== undefined);
  const left = await readKeyFigures(orm.em.fork(), projectId, key);
  if (left.size === 0) await deleteFieldType(orm.em.fork(), projectId, key);
  return deletedFrom;
}
