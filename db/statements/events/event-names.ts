import { z } from 'zod';
import { mostRecordedNames } from '../../../core/project-limits.ts';
import { projectChangedChannel } from '../../database-listener.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn, queryValue } from '../../sql.ts';

export interface TrackedName {
  projectId: string;
  name: string;
}

/**
 * Records names that projects track for the first time.
 *
 * @param names distinct
 * @throws pg.DatabaseError `event_names_limit` when a project would exceed 10,000; `detail` is the project id
 */
export async function recordEventNames(em: Em, names: readonly TrackedName[]): Promise<void> {
  if (names.length === 0) return;
  // Sorted, so that concurrent calls do not deadlock.
  const rows = [...names].sort((a, b) => (a.projectId + a.name < b.projectId + b.name ? -1 : 1));
  const sql = `insert into event_names (project_id, name)
     select "projectId", name from json_to_recordset($1::json) as t("projectId" uuid, name text)
     on conflict (project_id, name) do nothing`;
  await execute(em, sql, [JSON.stringify(rows)]);
}

/**
 * Whether the project tracks this name or has capacity for one more. One query per request, so that a flood of new
 * names stays cheap.
 */
export function canAddEventName(em: Em, projectId: string, name: string): Promise<boolean> {
  const sql = `select exists (select from event_names where project_id = $1 and name = $2)
       or (select count(*) from event_names where project_id = $1) < $3 as "canAdd"`;
  return queryValue(em, z.boolean(), sql, [projectId, name, mostRecordedNames]);
}

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

/**
 * Names of events that the project's contacts have had, in order. Skips from name to name in the primary key instead of
 * reading every row.
 */
export function listHistoryNames(em: Em, projectId: string, limit: number): Promise<string[]> {
  const sql = `with recursive listed (name) as (
       (select name from contact_event_stats where project_id = $1 order by name limit 1)
       union all
       select (select s.name from contact_event_stats s where s.project_id = $1 and s.name > l.name
         order by s.name limit 1)
       from listed l where l.name is not null
     )
     select name from listed where name is not null limit $2`;
  return queryColumn(em, z.string(), sql, [projectId, limit]);
}
