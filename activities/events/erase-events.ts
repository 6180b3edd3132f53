import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { eraseEvents } from '../../analytics/erase-events.ts';
import { eventLine, eventTable } from '../../analytics/tables/event.ts';
import { activityTypeOf } from '../../core/activity-types.ts';
import type { Em } from '../../db/orm.ts';
import { deleteEvents } from '../../db/repositories/events/delete-events.ts';
import {
  type EventDeletionRecord,
  findEventDeletion,
  journalEventDeletion,
  listKeptEvents,
  readEventDeletionProgress,
} from '../../db/repositories/events/event-deletions.ts';
import { whenStreamed } from './when-streamed.ts';

const restoredAtOnce = 1_000;

/**
 * Carries a recorded deletion of events through: in Postgres what the call has left, then in ClickHouse. The order of
 * the steps makes it exact whenever it is cut off and whoever tracks meanwhile:
 *
 * 1. The events are gone from Postgres. A row in the journal behind them says so.
 * 2. The journal's reader is past that row, so it has nothing before it in its hands; and what it reads from now on,
 *    be it again after a crash, are rows that Postgres still has. A deleted event can't come back.
 * 3. ClickHouse deletes by name and age of the ids.
 * 4. Events that Postgres has kept although their ids are as old are put back. Whatever is committed after this look
 *    arrives by the journal, after the deletion.
 *
 * @param signal ends the wait of step 2.
 * @throws Error when step 2 takes long, ClickHouseUnavailable while ClickHouse is away
 */
export async function eraseDeletedEvents(
  em: Em,
  clickhouse: ClickHouse,
  deletionId: string,
  signal: AbortSignal,
): Promise<void> {
  const recorded = await findEventDeletion(em, deletionId);
  if (recorded === undefined) return;
  const { isJournaled } = await readEventDeletionProgress(em, deletionId);
  if (!isJournaled) {
    await deleteEvents(em, recorded);
    await journalEventDeletion(em, recorded);
  }
  await whenStreamed(em, deletionId, signal);
  // The run that deleted them has written down how young they were.
  const deletion = (await findEventDeletion(em, deletionId)) ?? recorded;
  const { projectId, name, before } = deletion;
  await eraseEvents(clickhouse, { projectId, name, madeUntil: before });
  await restoreKeptEvents(em, clickhouse, deletion);
}

async function restoreKeptEvents(
  em: Em,
  clickhouse: ClickHouse,
  deletion: EventDeletionRecord,
): Promise<void> {
  for (let lastId: string | undefined; ; ) {
    const kept = await listKeptEvents(em, deletion, lastId, restoredAtOnce);
    const lines = kept.map(({ data, ...event }) =>
      eventLine({ ...event, activityType: activityTypeOf(event.kind, event.name) ?? '' }, data),
    );
    await clickhouse.insert(eventTable, lines.join('\n'));
    lastId = kept.at(-1)?.eventId;
    if (kept.length < restoredAtOnce) return;
  }
}
