import type { ClickHouse } from './clickhouse.ts';
import { toInstantParameter } from './question.ts';

const ofProject = 'project_id = {projectId:UUID}';
const settings = `SETTINGS lightweight_deletes_sync = 2, log_comment = 'erase project'`;
const isOld = (id: string) => `UUIDv7ToDateTime(${id}) <= {madeUntil:DateTime64(3, 'UTC')}`;

/**
 * Deletes what a project had until an instant, in every table; names of events are made anew of those that stay. Can
 * be repeated at any time.
 *
 * @throws ClickHouseUnavailable while ClickHouse is away
 */
export async function eraseProjectData(
  clickhouse: ClickHouse,
  projectId: string,
  madeUntil: Date,
): Promise<void> {
  const parameters = { projectId, madeUntil: toInstantParameter(madeUntil) };
  await clickhouse.command(`DELETE FROM event_name WHERE ${ofProject} ${settings}`, { projectId });
  await clickhouse.command(
    `DELETE FROM email_state WHERE ${ofProject} AND ${isOld('email_id')} ${settings}`,
    parameters,
  );
  await clickhouse.command(
    `DELETE FROM event WHERE ${ofProject} AND ${isOld('event_id')} ${settings}`,
    parameters,
  );
  await clickhouse.command(
    `INSERT INTO event_name
     SELECT project_id, kind, name, activity_type, min(occurred_at), max(occurred_at)
     FROM event WHERE ${ofProject}
     GROUP BY project_id, kind, name, activity_type
     SETTINGS async_insert = 0, insert_deduplicate = 0`,
    { projectId },
  );
}
