import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../test/setup/clickhouse.ts';
import { eventually } from '../test/setup/eventually.ts';
import { countColumn } from './client/question.ts';
import { migrateClickHouse } from './migrate.ts';
import { eventNames } from './questions/event-names.ts';
import { timeseries } from './questions/timeseries.ts';
import { eventTable } from './tables/event.ts';
import { type EventInsertRow, eventRow, toEventLine } from './testing/event-row.ts';

const clickhouse = useTestClickHouse();

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const projectId = uuidv7();

/** An email sent this many days ago, and an event of the same day. */
function eventsOf(days: number): EventInsertRow[] {
  const at = daysAgo(days);
  const row = (rest: Partial<EventInsertRow>) =>
    eventRow(projectId, { eventId: uuidv7({ msecs: at.getTime() }), occurredAt: at, ...rest });
  const emailId = uuidv7({ msecs: at.getTime() });
  return [
    row({ name: `seen ${days} days ago` }),
    row({ name: 'email.sent', kind: 'emitted', activityType: 'email.sent', emailId }),
  ];
}

/** Rows by table, after pending merges. */
async function rows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['event', 'event_name', 'figure', 'email']) {
    if (table !== 'email') await clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`);
    const [found] = await clickhouse.query(
      {
        name: 'rows',
        sql: `SELECT count() AS n FROM ${table} ${table === 'email' ? '' : 'FINAL'}`,
        row: z.object({ n: countColumn }),
      },
      {},
    );
    counts[table] = found?.n ?? 0;
  }
  return counts;
}

describe('retention', () => {
  it('removes old rows from each table by its own retention, and applies a change at the next start', async () => {
    for (const days of [500, 200, 1]) {
      await clickhouse.insert(eventTable, eventsOf(days).map(toEventLine).join('\n'));
    }
    // `email.sent` is one name for all three.
    expect(await rows()).toEqual({ event: 6, event_name: 4, figure: 3, email: 3 });

    await migrateClickHouse(clickhouse, { event: 365 });
    // An email is known by its events.
    const eventsGone = { event: 4, event_name: 3, figure: 3, email: 2 };
    expect(await eventually(rows, (found) => found.event === 4 && found.event_name === 3)).toEqual(
      eventsGone,
    );
    expect(await eventNames(clickhouse, projectId)).toEqual([
      'email.sent',
      'seen 1 days ago',
      'seen 200 days ago',
    ]);

    await migrateClickHouse(clickhouse, { event: 365, figure: 100 });
    expect(await eventually(rows, (found) => found.figure === 1)).toEqual({ ...eventsGone, figure: 1 });
    const series = await timeseries(
      clickhouse,
      { projectId, startDate: daysAgo(600), endDate: new Date() },
      'day',
    );
    expect(series.reduce((sum, day) => sum + day.sent, 0)).toBe(1);

    // With a longer retention nothing more expires; rows that arrive too old do not stay.
    await migrateClickHouse(clickhouse, { event: 365 });
    await clickhouse.insert(eventTable, eventsOf(400).map(toEventLine).join('\n'));
    expect(await eventually(rows, (found) => found.event === 4)).toEqual({
      ...eventsGone,
      figure: 2,
    });
  });
});
