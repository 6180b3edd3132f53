import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A name that a project tracks. */
export interface EventNameRow {
  projectId: string;
  name: string;
}

/**
 * Notes the names that projects track for the first time. At most one row a name.
 * @throws pg.DatabaseError `event_names_limit` when a project would have more than 10,000; its detail is the project
 */
export async function learnEventNames(em: Em, names: readonly EventNameRow[]): Promise<void> {
  if (names.length === 0) return;
  // In one order, so that two calls which meet do not deadlock.
  const rows = [...names].sort((a, b) => (a.projectId + a.name < b.projectId + b.name ? -1 : 1));
  await sql(
    em,
    `insert into event_names (project_id, name)
     select "projectId", name from json_to_recordset($1::json) as t("projectId" uuid, name text)
     on conflict (project_id, name) do nothing`,
    [JSON.stringify(rows)],
  );
}

/** Names that a project may have, as the trigger of the table says. */
const mostNames = 10_000;

/** Whether a project has tracked a name, or may begin to. */
export async function hasRoomForName(em: Em, projectId: string, name: string): Promise<boolean> {
  const [row] = await sql<{ hasRoom: boolean }>(
    em,
    `select exists (select from event_names where project_id = $1 and name = $2)
       or (select count(*) from event_names where project_id = $1) < ${mostNames} as "hasRoom"`,
    [projectId, name],
  );
  return row?.hasRoom ?? false;
}

/** Makes room for another name when no event of this one is left, and tells every process. */
export async function forgetEventName(em: Em, projectId: string, name: string): Promise<void> {
  await sql(
    em,
    `with forgotten as (
       delete from event_names
       where project_id = $1 and name = $2
         and not exists (select from contact_event_stats where project_id = $1 and name = $2)
       returning project_id
     )
     select pg_notify('project_changed', project_id::text) from forgotten`,
    [projectId, name],
  );
}
