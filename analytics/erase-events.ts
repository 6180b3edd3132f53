import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { deleteFrom, refuseWhileDeleting, restoreNames } from './deletion.ts';
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

const comment = 'erase events';

/**
 * Deletes events of a name, and the name when none is left. Figures about emails are not made of events but of
 * emails, and stay. Can be repeated at any time; rows that arrive meanwhile stay if they are not meant.
 *
 * @throws ClickHouseUnavailable also while an earlier deletion is not finished.
 */
export async function eraseEvents(clickhouse: ClickHouse, erasure: EventErasure): Promise<void> {
  const { projectId, name } = erasure;
  const parameters = { projectId, name, madeUntil: toInstantParameter(erasure.madeUntil) };
  await refuseWhileDeleting(clickhouse);
  const [events] = await clickhouse.query(countEvents, parameters);
  const [found] = await clickhouse.query(countNames, parameters);
  const hasEventsToGo = (events?.toGo ?? 0) > 0;
  const isNameLeft = (events?.toStay ?? 0) > 0;
  // The name first: should this be cut off, the events still say that it has to be done.
  if ((found?.names ?? 0) > 0 && (hasEventsToGo || !isNameLeft)) {
    await clickhouse.command(deleteFrom('event_name', ofTheName, comment), { projectId, name });
  }
  if (hasEventsToGo) {
    await clickhouse.command(deleteFrom('event', `${ofTheName} AND ${isToGo}`, comment), parameters);
  }
  await clickhouse.command(restoreNames(ofTheName), { projectId, name });
}
