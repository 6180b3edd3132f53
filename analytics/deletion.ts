import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { ClickHouseUnavailable } from './client/errors.ts';
import type { Question } from './client/question.ts';

const unfinished = z.object({ table: z.string(), reason: z.string() });

/** A deletion whose response timed out continues on the server. */
const unfinishedDeletions: Question<Record<string, never>, z.output<typeof unfinished>> = {
  name: 'unfinished-deletions',
  sql: `
SELECT table, latest_fail_reason AS reason
FROM system.mutations
WHERE database = currentDatabase() AND table IN ('event', 'event_name') AND NOT is_done
LIMIT 1`,
  row: unfinished,
};

/**
 * Ensures that no deletion of events is running: it could delete rows that are restored afterwards.
 *
 * @throws ClickHouseUnavailable while one is
 */
export async function refuseWhileDeleting(clickhouse: ClickHouse): Promise<void> {
  const [running] = await clickhouse.query(unfinishedDeletions, {});
  if (running === undefined) return;
  const why = running.reason === '' ? '' : `: ${running.reason}`;
  throw new ClickHouseUnavailable(`ClickHouse has not finished a deletion in ${running.table}${why}`);
}

/**
 * SQL of a lightweight delete. Once it returns, no query on any replica sees the rows; merges remove them from disk
 * later. Settings are part of the text, as in every statement.
 *
 * @param comment for ClickHouse's query log
 */
export function deleteFrom(table: string, where: string, comment: string): string {
  return `DELETE FROM ${table} WHERE ${where} SETTINGS lightweight_deletes_sync = 2, log_comment = '${comment}'`;
}

export function restoreNames(where: string): string {
  return `
INSERT INTO event_name
SELECT project_id, kind, name, activity_type, min(occurred_at), max(occurred_at)
FROM event
WHERE ${where}
GROUP BY project_id, kind, name, activity_type
SETTINGS async_insert = 0, insert_deduplicate = 0`;
}

/** SQL that marks all days of a project as changed: once rows are erased, no cached count of them may be used. */
export const markProjectChanged = `
INSERT INTO day_change (project_id, day, changed_at)
SELECT {projectId:UUID}, toDate(0), now64(3, 'UTC')
SETTINGS async_insert = 0, insert_deduplicate = 0`;
