import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../test/setup/clickhouse.ts';
import { eraseEvents } from './erase-events.ts';
import { activityStats } from './questions/activity-stats.ts';
import { activityFeed, listEvents } from './questions/event-listings.ts';
import { eventNames, listActivityTypes } from './questions/event-names.ts';
import { eventStats } from './questions/event-stats.ts';
import { eventTable } from './tables/event.ts';
import { type EventInsertRow, eventRow, toEventLine } from './testing/event-row.ts';

const name = "it's / a \\ name.\té😀 {x:String}";
const past = new Date(Date.now() - 3_600_000);
const period = { startDate: new Date(Date.now() - 86_400_000), endDate: new Date(Date.now() + 86_400_000) };

/** @param madeAt the creation time in the id. */
const event = (projectId: string, rest: Partial<EventInsertRow> = {}, madeAt = new Date()) =>
  eventRow(projectId, { eventId: uuidv7({ msecs: madeAt.getTime() }), occurredAt: past, name, ...rest });

describe('erasing events', () => {
  const clickhouse = useTestClickHouse();

  const store = (...rows: EventInsertRow[]) =>
    clickhouse.insert(eventTable, rows.map(toEventLine).join('\n'));
  const erase = (projectId: string, madeUntil = new Date()) =>
    eraseEvents(clickhouse, { projectId, name, madeUntil });
  const remaining = async (projectId: string) =>
    (await listEvents(clickhouse, { projectId, limit: 100 })).map((row) => row.id).toSorted();

  it('leaves nothing of them in any answer, even of rows delivered twice', async () => {
    const projectId = uuidv7();
    const rows = Array.from({ length: 20 }, () => event(projectId));
    const other = event(projectId, { name: 'another', kind: 'emitted', activityType: '' });
    const foreign = event(uuidv7());
    await store(...rows, other, foreign);
    await store(...rows);
    await erase(projectId);
    expect(await remaining(projectId)).toEqual([other.eventId]);
    expect(await eventNames(clickhouse, projectId)).toEqual(['another']);
    expect(await listActivityTypes(clickhouse, projectId)).toEqual([]);
    expect(await activityFeed(clickhouse, { projectId, limit: 10 })).toEqual([]);
    expect(await eventStats(clickhouse, { projectId, ...period })).toMatchObject({
      total: 1,
      byName: [{ name: 'another', count: 1 }],
    });
    expect(await remaining(foreign.projectId)).toEqual([foreign.eventId]);
    expect(await eventNames(clickhouse, foreign.projectId)).toEqual([name]);
  });

  it('keeps events with newer ids, whenever they occurred, and dates the name by them', async () => {
    const projectId = uuidv7();
    const until = new Date();
    const early = event(projectId, { occurredAt: new Date(Date.now() + 60_000) }, until);
    const late = event(projectId, { occurredAt: past }, new Date(until.getTime() + 1));
    await store(early, late);
    await erase(projectId, until);
    expect(await remaining(projectId)).toEqual([late.eventId]);
    const dates = {
      name: 'dates of a name',
      sql: `SELECT min(first_at) = max(last_at) AND min(first_at) = parseDateTime64BestEffort({past:String}, 3) AS isExact
        FROM event_name WHERE project_id = {projectId:UUID}`,
      row: z.object({ isExact: z.coerce.number() }),
    };
    expect(await clickhouse.query(dates, { projectId, past: past.toISOString() })).toEqual([{ isExact: 1 }]);
  });

  it('keeps feed-only rows and the email figures', async () => {
    const projectId = uuidv7();
    const emailId = uuidv7();
    const activity = event(projectId, { kind: 'activity', activityType: 'contact.snoozed' });
    const sent = { kind: 'emitted', name: 'email.sent', activityType: 'email.sent', emailId } as const;
    await store(activity, event(projectId, sent), event(projectId));
    await erase(projectId);
    await eraseEvents(clickhouse, { projectId, name: 'email.sent', madeUntil: new Date() });
    const feed = await activityFeed(clickhouse, { projectId, limit: 10 });
    expect(feed.map((row) => row.id)).toEqual([activity.eventId]);
    expect(await eventNames(clickhouse, projectId)).toEqual([]);
    expect(await activityStats(clickhouse, { projectId, ...period })).toMatchObject({
      totalEvents: 1,
      sent: 1,
    });
  });

  it('can be repeated, and erases late arrivals', async () => {
    const projectId = uuidv7();
    const row = event(projectId);
    await erase(projectId);
    await store(row);
    await erase(projectId);
    await erase(projectId);
    await store(row);
    await erase(projectId);
    expect(await remaining(projectId)).toEqual([]);
    expect(await eventNames(clickhouse, projectId)).toEqual([]);
  });

  it('restores a name that an interrupted erasure removed', async () => {
    const projectId = uuidv7();
    const until = new Date(Date.now() - 60_000);
    await store(event(projectId));
    await clickhouse.command('DELETE FROM event_name WHERE project_id = {projectId:UUID}', { projectId });
    expect(await eventNames(clickhouse, projectId)).toEqual([]);
    await erase(projectId, until);
    expect(await eventNames(clickhouse, projectId)).toEqual([name]);
  });

  it('leaves no setting behind for later statements', async () => {
    const setting = {
      name: 'settings that were changed',
      sql: `SELECT name FROM system.settings WHERE changed AND name IN ('lightweight_deletes_sync', 'insert_deduplicate')`,
      row: z.object({ name: z.string() }),
    };
    await erase(uuidv7());
    expect(await clickhouse.query(setting, {})).toEqual([]);
  });
});
