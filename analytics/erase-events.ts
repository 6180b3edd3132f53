import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from './client/question.ts';
import { deleteFrom, markProjectChanged, refuseWhileDeleting, restoreNames } from './deletion.ts';

export interface EventErasure {
  projectId: string;
  name: string;
  madeUntil: Date;
}

type ErasureParameters = { projectId: string; name: string; madeUntil: string };

/** All events of the name, of any age. Feed-only rows have other names. */
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
 * Deletes events of a name, and the name when no event is left. Email figures stay: they are derived from emails, not
 * events. Idempotent; rows that arrive in the meantime stay unless they match.
 *
 * @throws ClickHouseUnavailable also while an earlier deletion is running
 */
export async function eraseEvents(clickhouse: ClickHouse, erasure: EventErasure): Promise<void> {
  const { projectId, name } = erasure;
  const parameters = { projectId, name, madeUntil: toInstantParameter(erasure.madeUntil) };
  await refuseWhileDeleting(clickhouse);
  const [events] = await clickhouse.query(countEvents, parameters);
  const [found] = await clickhouse.query(countNames, parameters);
  const hasEventsToGo = (events?.toGo ?? 0) > 0;
  const isNameLeft = (events?.toStay ?? 0) > 0;
  // The name first: if interrupted, the events still cause a retry.
  if ((found?.names ?? 0) > 0 && (hasEventsToGo || !isNameLeft)) {
    await clickhouse.command(deleteFrom('event_name', ofTheName, comment), { projectId, name });
  }
  if (hasEventsToGo) {
    await clickhouse.command(deleteFrom('event', `${ofTheName} AND ${isToGo}`, comment), parameters);
  }
  await clickhouse.command(markProjectChanged, { projectId });
  await clickhouse.command(restoreNames(ofTheName), { projectId, name });
}
