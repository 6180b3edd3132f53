import type { Em } from '../../orm.ts';
import { projectChangedChannel } from '../../project-changes.ts';
import { execute } from '../../sql.ts';

/**
 * Deletes an event name from the project's list unless it still has events. Notifies every process in the same
 * statement, so that the notification is sent exactly when the deletion commits.
 */
export async function deleteEventName(em: Em, projectId: string, name: string): Promise<void> {
  const sql = `with deleted as (
       delete from event_names
       where project_id = $1 and name = $2
         and not exists (select from contact_event_stats where project_id = $1 and name = $2)
       returning project_id
     )
     select pg_notify('${projectChangedChannel}', project_id::text) from deleted`;
  await execute(em, sql, [projectId, name]);
}
