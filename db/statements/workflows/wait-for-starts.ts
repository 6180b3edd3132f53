import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, queryColumn } from '../../sql.ts';

/**
 * Waits until executions that are just starting in the workflows of a project have committed. Executions that start
 * later follow the version that is live by then.
 *
 * A start locks its workflow. A workflow that can be locked immediately has no starting execution, so only the others
 * are waited for.
 *
 * @param em outside of a transaction, so that each lock is released before the next is awaited and blocks no event
 */
export async function waitForStarts(em: Em, projectId: string): Promise<void> {
  const sql = `with idle as materialized (select id from workflows where project_id = $1 for update skip locked)
     select id from workflows where project_id = $1 and id not in (select id from idle)`;
  const starting = await queryColumn(em, z.uuid(), sql, [projectId]);
  for (const id of starting) await execute(em, 'select from workflows where id = $1 for update', [id]);
}
