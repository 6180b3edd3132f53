import type { EntityClass, EntityDictionary, FilterOptions, QBFilterQuery } from '@mikro-orm/postgresql';
import type { Em } from './orm.ts';

interface LockOptions {
  mode?: 'for no key update' | 'for key share';
  filters?: FilterOptions;
}

/**
 * In a transaction: reads and locks a record. The mapper's own modes are stronger than needed.
 *
 * - `for no key update` blocks other changes. The mapper's `for update` also blocks inserts with a foreign key to the
 *   record, so two transactions that each lock a user and a project and add a membership could deadlock.
 * - `for key share` only keeps the record from being deleted: checks of a domain, edits of a workflow and events of a
 *   contact go on.
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
