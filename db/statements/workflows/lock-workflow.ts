import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

const locks = {
  edit: 'for no key update',
  start: 'for key share',
};

/**
 * Locks a workflow until the transaction ends: `edit` blocks other edits and the deletion, `start` only the deletion.
 * A statement, because the mapper's lock modes are stronger: edits would block the events that start executions, and
 * vice versa.
 */
export async function lockWorkflow(
  em: Em,
  projectId: string,
  id: string,
  purpose: keyof typeof locks,
): Promise<void> {
  await execute(em, `select from workflows where project_id = $1 and id = $2 ${locks[purpose]}`, [
    projectId,
    id,
  ]);
}
