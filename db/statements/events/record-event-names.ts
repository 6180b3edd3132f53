import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

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
