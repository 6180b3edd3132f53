import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

/**
 * Waits until executions that are just being started in the workflows of a project have committed. Those that start
 * later follow the version that is live by then.
 *
 * @param em outside of a transaction, so that each lock is released before the next is waited for: events wait for none
 */
export async function waitForStarts(em: Em, projectId: string): Promise<void> {
  const workflows = await query(
    em,
    z.object({ id: z.uuid() }),
    'select id from workflows where project_id = $1',
    [projectId],
  );
  for (const { id } of workflows) await execute(em, 'select from workflows where id = $1 for update', [id]);
}
