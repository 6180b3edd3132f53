import type { EntityClass, EntityDictionary, FilterOptions, QBFilterQuery } from '@mikro-orm/postgresql';
import type { Em } from './orm.ts';

interface LockOptions {
  mode?: 'for update' | 'for no key update' | 'for key share';
  filters?: FilterOptions;
}

/**
 * Reads and locks a record, in a transaction. MikroORM's own lock modes are stronger than needed by most.
 *
 * - `for no key update` blocks other changes.
 * - `for update` also blocks inserts with a foreign key to the record, so two transactions that each lock a user and a
 *   project and add a membership could deadlock. For records that are about to be deleted.
 * - `for key share` only prevents the deletion of the record, without blocking checks of a domain, edits of a workflow
 *   or events of a contact.
 *
 * @returns the current record, null when it does not exist
 */
export async function lockRecord<Entity extends object>(
  em: Em,
  entity: EntityClass<Entity>,
  where: QBFilterQuery<Entity>,
  { mode = 'for no key update', filters }: LockOptions = {},
): Promise<Entity | null> {
  const query = em.createQueryBuilder(entity).select('*').where(where);
  await query.applyFilters(filters);
  const select = query.toQuery();
  const [row] = await em.execute<EntityDictionary<Entity>[]>(`${select.sql} ${mode}`, select.params);
  return row === undefined ? null : em.map(entity, row);
}
