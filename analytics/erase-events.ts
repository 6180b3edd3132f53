import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { ClickHouseUnavailable } from './client/errors.ts';
import { countColumn, type Question, toInstantParameter } from './question.ts';

/** Events of one name that are to go. */
export interface EventErasure {
  projectId: string;
  name: string;
  /** Those go whose id was made at or before this instant. */
  madeUntil: Date;
}

type ErasureParameters = { projectId: string; name: string; madeUntil: string };

/** SQL: the events of the name, whatever their age. What only the activity feed shows has names of its own. */
const ofTheName = `project_id = {projectId:UUID} AND name = {name:String} AND kind IN ('tracked', 'emitted')`;
const isToGo = `UUIDv7ToDateTime(event_id) <= {madeUntil:DateTime64(3, 'UTC')}`;

const unfinished = z.object({ table: z.string(), reason: z.string() });

/** A deletion goes on in the server when its answer did not come in time. */
const unfinishedErasures: Question<Record<string, never>, z.output<typeof unfinished>> = {
  name: 'unfinished-erasures',
  sql: `
SELECT table, latest_fail_reason AS reason
FROM system.mutations
WHERE database = currentDatabase() AND table IN ('event', 'event_name') AND NOT is_done
LIMIT 1`,
  row: unfinished,
};

const eventCounts = z.object({ toGo: countColumn, toStay: countColumn });

const countEvents: Question<ErasureParameters, z.output<typeof eventCounts>> = {
  name: 'events-to-erase',
  sql: `SELECT countIf(${isToGo}) AS toGo, countIf(NOT ${isToGo}) AS toStay FROM event WHERE ${ofTheName}`,
  row: eventCounts,
  timeoutMs: 120_000,
};

const countNames: Question<ErasureParameters, { names: number }> = {
  name: 'event-names-to-erase',
  sql: `SELECT count() AS names FROM event_name WHERE ${ofTheName}`,
  row: z.object({ names: countColumn }),
};

/**
 * Rows are gone for every query when this is answered, in all replicas; merges take them off the disk later. The
 * setting stands in the text, as every other.
 */
const deleteFrom = (table: string, where: string) =>
  `DELETE FROM ${table} WHERE ${where} SETTINGS lightweight_deletes_sync = 2, log_comment = 'erase events'`;

/** Both a row that is there already and one that is missing become what they should be. */
const restoreNames = `
INSERT INTO event_name
SELECT project_id, kind, name, activity_type, min(occurred_at), max(occurred_at)
FROM event
WHERE ${ofTheName}
GROUP BY project_id, kind, name, activity_type
SETTINGS async_insert = 0, insert_deduplicate = 0`;

/**
 * Deletes events of a name, and the name when none is left. Figures about emails are not made of events but of
 * emails, and stay. Can be repeated at any time; rows that arrive meanwhile stay if they are not meant.
 *
 * @throws ClickHouseUnavailable also while an earlier deletion is not finished.
 */
export async function eraseEvents(clickhouse: ClickHouse, erasure: EventErasure): Promise<void> {
  const { projectId, name } = erasure;
  const parameters = { projectId, name, madeUntil: toInstantParameter(erasure.madeUntil) };
  const [running] = await clickhouse.query(unfinishedErasures, {});
  if (running !== undefined) {
    const why = running.reason === '' ? '' : `: ${running.reason}`;
    throw new ClickHouseUnavailable(`ClickHouse has not finished a deletion in ${running.table}${why}`);
  }
  const [events] = await clickhouse.query(countEvents, parameters);
  const [found] = await clickhouse.query(countNames, parameters);
  const hasEventsToGo = (events?.toGo ?? 0) > 0;
  const isNameLeft = (events?.toStay ?? 0) > 0;
  // The name first: should this be cut off, the events still say that it has to be done.
  if ((found?.names ?? 0) > 0 && (hasEventsToGo || !isNameLeft)) {
    await clickhouse.command(deleteFrom('event_name', ofTheName), { projectId, name });
  }
  if (hasEventsToGo) await clickhouse.command(deleteFrom('event', `${ofTheName} AND ${isToGo}`), parameters);
  await clickhouse.command(restoreNames, { projectId, name });
}
