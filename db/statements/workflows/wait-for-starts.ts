import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

/**
 * Waits until executions that are just being started in the workflows of a project have committed. Those that start
 * later follow the version that is live by then.
 *
 * A start locks its workflow. What can be locked at once is not being started, so only the others are waited for.
 *
 * @param em outside of a transaction, so that each lock is released before the next is waited for: events wait for none
 */
export async function waitForStarts(em: Em, projectId: string): Promise<void> {
  const starting = await query(
    em,
    z.object({ id: z.uuid() }),
    `with idle as materialized (select id from workflows where project_id = $1 for update skip locked)
     select id from workflows where project_id = $1 and id not in (select id from idle)`,
    [projectId],
  );
  for (const { id } of starting) await execute(em, 'select from workflows where id = $1 for update', [id]);
}
