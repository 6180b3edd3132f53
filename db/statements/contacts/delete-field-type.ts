import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Deletes a key's type, so that its next value determines a new one. Notifies every process in the same statement, so
 * that the notification is sent exactly when the deletion commits.
 */
export async function deleteFieldType(em: Em, projectId: string, key: string): Promise<void> {
  await execute(
    em,
    `with deleted as (delete from contact_fields where project_id = $1 and key = $2)
     select pg_notify('project_changed', $1::text)`,
    [projectId, key],
  );
}
