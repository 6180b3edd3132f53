import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { eraseEvents } from '../../../analytics/erase-events.ts';
import { eventLine, eventTable } from '../../../analytics/tables/event.ts';
import { activityTypeOf } from '../../../core/activity-types.ts';
import type { Slice } from '../../../core/slice.ts';
import { EventDeletion } from '../../../db/entities/event.ts';
import type { Em } from '../../../db/orm.ts';
import { completeDeletion, deleteEvents } from '../../../db/statements/events/delete-events.ts';
import { readMarkerProgress } from '../../../db/statements/events/journal-marker.ts';
import { listKeptEvents } from '../../../db/statements/events/list-kept-events.ts';
import { hasNeverStreamed, whenStreamed } from './when-streamed.ts';

const restoredAtOnce = 1_000;

/**
 * Executes a recorded deletion of events in Postgres, then in ClickHouse. The order of the steps makes it exact
 * wherever it is interrupted and whatever is tracked in the meantime:
 *
 * 1. Delete the events from Postgres and write a marker row to the journal.
 * 2. Wait until the journal's reader has passed the marker and holds nothing older. From then on it reads
 *    only rows that Postgres still has, even after a crash, so a deleted event can't come back.
 * 3. Delete from ClickHouse by name and age of the ids.
 * 4. Reinsert the events that Postgres kept although their ids are as old. Whatever commits after this
 *    read arrives through the journal, after the deletion.
 *
 * @param limitMs of step 2
 * @throws SliceOver when another slice has to continue, Error when step 2 takes too long, ClickHouseUnavailable when ClickHouse is unreachable
 */
export async function eraseDeletedEvents(
  em: Em,
  clickhouse: ClickHouse,
  deletionId: string,
  slice: Slice,
  limitMs?: number,
): Promise<void> {
  const deletion = await em.findOne(EventDeletion, { id: deletionId });
  if (deletion === null) return;
  const { isJournaled } = await readMarkerProgress(em, deletionId);
  if (!isJournaled) {
    await deleteEvents(em, deletion, { slice });
    await completeDeletion(em, deletion);
  }
  if (await hasNeverStreamed(em, clickhouse)) return;
  await whenStreamed(em, deletionId, { signal: slice.signal, limitMs });
  // The run that deleted the events recorded the age of the youngest.
  await em.refresh(deletion);
  const { projectId, name, before } = deletion;
  await eraseEvents(clickhouse, { projectId, name, madeUntil: before });
  await restoreKeptEvents(em, clickhouse, deletion);
}

async function restoreKeptEvents(em: Em, clickhouse: ClickHouse, deletion: EventDeletion): Promise<void> {
  for await (const kept of listKeptEvents(em, deletion, restoredAtOnce)) {
    const lines = kept.map(({ data, ...event }) =>
      eventLine({ ...event, activityType: activityTypeOf(event.kind, event.name) ?? '' }, data),
    );
    await clickhouse.insert(eventTable, lines.join('\n'));
  }
}
