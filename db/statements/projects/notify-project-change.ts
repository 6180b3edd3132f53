import { projectChangedChannel } from '../../database-listener.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/** Makes every process drop its cache of the project's domains and limits when the transaction commits. */
export async function notifyProjectChange(em: Em, projectId: string): Promise<void> {
  await execute(em, 'select pg_notify($1, $2)', [projectChangedChannel, projectId]);
}
