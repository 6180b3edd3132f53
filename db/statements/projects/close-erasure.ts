import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Deletes the record of an erasure that is complete in all stores, and its journal row. The last reset of an existing
 * project stays.
 */
export async function closeErasure(em: Em, id: string): Promise<void> {
  const sql = `with marker as (delete from events where id = $1),
     closed as (select project_id from project_erasures where id = $1)
     delete from project_erasures e using closed
     where e.project_id = closed.project_id and (e.id = $1 or e.is_reset)
       and not exists (select from projects p where p.id = e.project_id)`;
  await execute(em, sql, [id]);
}
