import type { EntityClass, EntityDictionary, FilterOptions, QBFilterQuery } from '@mikro-orm/postgresql';
import type { Em } from './orm.ts';

/**
 * In a transaction: reads and locks a record `for no key update`. The mapper's own write lock, `for update`, blocks
 * inserts with a foreign key to the record, so two transactions that each lock a user and a project and add a
 * membership could deadlock.
 *
 * @returns the current record, null when it does not exist
 */
export async function lockRecord<Entity extends object>(
  em: Em,
  entity: EntityClass<Entity>,
  where: QBFilterQuery<Entity>,
  { filters }: { filters?: FilterOptions } = {},
): Promise<Entity | null> {
  const query = em.createQueryBuilder(entity).select('*').where(where);
  await query.applyFilters(filters);
  const select = query.toQuery();
  const [row] = await em.execute<EntityDictionary<Entity>[]>(
    `${select.sql} for no key update`,
    select.params,
  );
  return row === undefined ? null : em.map(entity, row);
}
