import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Locks the workflows with a version that sends the template, in id order; call it in a transaction, before locking the
 * template. Until the transaction ends, no execution starts in them, and those that were starting have committed.
 */
export async function lockWorkflowsOfTemplate(em: Em, projectId: string, templateId: string): Promise<void> {
  const sql = `select from workflows
     where project_id = $1 and id in (select workflow_id from workflow_version_templates where template_id = $2)
     order by id for update`;
  await execute(em, sql, [projectId, templateId]);
}
