import type { ClickHouse } from './clickhouse.ts';
import { toInstantParameter } from './client/question.ts';
import { deleteFrom, restoreNames } from './deletion.ts';

const ofProject = 'project_id = {projectId:UUID}';
const comment = 'erase project';
const isOld = `UUIDv7ToDateTime(event_id) <= {madeUntil:DateTime64(3, 'UTC')}`;

const restoreDays = `
INSERT INTO day_change
SELECT project_id, toDate(occurred_at, 'UTC') AS day, max(now64(3, 'UTC'))
FROM event
WHERE ${ofProject}
GROUP BY project_id, day
SETTINGS async_insert = 0, insert_deduplicate = 0`;

/**
 * Deletes a project's rows up to an instant from every table, and rebuilds the names and days of the remaining events.
 * Idempotent.
 *
 * @throws ClickHouseUnavailable while ClickHouse is down
 */
export async function eraseProjectData(
  clickhouse: ClickHouse,
  projectId: string,
  madeUntil: Date,
): Promise<void> {
  const parameters = { projectId, madeUntil: toInstantParameter(madeUntil) };
  await clickhouse.command(deleteFrom('event_name', ofProject, comment), { projectId });
  const madeOld = `made_at <= {madeUntil:DateTime64(3, 'UTC')}`;
  await clickhouse.command(deleteFrom('figure', `${ofProject} AND ${madeOld}`, comment), parameters);
  const asked = `at <= {madeUntil:DateTime64(3, 'UTC')}`;
  await clickhouse.command(deleteFrom('request_log', `${ofProject} AND ${asked}`, comment), parameters);
  await clickhouse.command(deleteFrom('event', `${ofProject} AND ${isOld}`, comment), parameters);
  await clickhouse.command(deleteFrom('day_change', ofProject, comment), { projectId });
  await clickhouse.command(restoreNames(ofProject), { projectId });
  await clickhouse.command(restoreDays, { projectId });
}
