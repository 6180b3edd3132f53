import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { activityFeed, type EventRow } from '../analytics/questions/event-listings.ts';
import { activityTypeByName, activityTypeOf } from '../core/activity-types.ts';
import { eventually } from '../test/setup/eventually.ts';
import { journalStart } from './read-batch.ts';
import { useJournalStage } from './testing/journal-stage.ts';

const stage = useJournalStage();

const ids = (rows: EventRow[]) => rows.map((row) => row.id).toSorted();

function whenStreamed(count: number): Promise<EventRow[]> {
  return eventually(stage.streamed, (rows) => rows.length >= count);
}

describe('the journal stream', () => {
  it('brings every row to ClickHouse as it is, with the type that the feed shows', async () => {
    const occurredAt = new Date('2026-02-03T04:05:06.789Z');
    const [contactId, emailId] = [uuidv7(), uuidv7()];
    const own = [...Object.keys(activityTypeByName), 'segment.vip.entry'];
    await stage.write([
      { name: 'campaign.sent', kind: 'tracked', contactId, emailId, occurredAt, data: '{"a":[1,null]}' },
      ...own.map((name) => ({ name, kind: 'emitted' as const, occurredAt })),
    ]);
    stage.stream();
    const rows = await whenStreamed(own.length + 1);
    expect(rows.find((row) => row.kind === 'tracked')).toMatchObject({
      name: 'campaign.sent',
      activityType: 'event.tracked',
      contactId,
      emailId,
      campaignId: null,
      workflowId: null,
      occurredAt,
      data: { a: [1, null] },
    });
    for (const row of rows) expect(row.activityType).toBe(activityTypeOf(row.kind, row.name) ?? '');
    const feed = await activityFeed(stage.clickhouse, { projectId: stage.projectId, limit: 100 });
    expect(feed).toHaveLength(own.length);
  });

  it('resumes where it stopped when it starts again', async () => {
    const first = stage.stream();
    const before = await stage.write([{}, {}]);
    await whenStreamed(2);
    await first.stop();
    await stage.clickhouse.command('TRUNCATE TABLE event');
    const after = await stage.write([{}]);
    stage.stream();
    expect(ids(await whenStreamed(1))).toEqual(after);
    expect(before).not.toContain(after[0]);
  });

  it('loses no row of a transaction that ends after a later one, and shows none that was rolled back', async () => {
    const slow = await stage.openSession();
    const undone = await stage.openSession();
    await slow.query('begin');
    await undone.query('begin');
    const [early] = await stage.write([{}], slow);
    await stage.write([{}], undone);
    stage.stream();
    const [late] = await stage.write([{}]);
    await undone.query('rollback');
    await delay(100);
    const [last] = await stage.write([{}], slow);
    await slow.query('commit');
    expect(ids(await whenStreamed(3))).toEqual([early, late, last].toSorted());
    await delay(60);
    expect(await stage.streamed()).toHaveLength(3);
  });

  it('reads a large transaction and many small ones in batches without a gap', async () => {
    const written = [...(await stage.write(Array.from({ length: 45 }, () => ({}))))];
    for (let n = 0; n < 10; n++) written.push(...(await stage.write([{}, {}])));
    stage.stream({ batchRows: 10 });
    expect(ids(await whenStreamed(written.length))).toEqual(written.toSorted());
  });

  it('is woken by a commit rather than by the clock', async () => {
    const streamer = stage.stream({ pollIntervalMs: 60_000 });
    await eventually(
      async () => streamer.isActive,
      (active) => active,
    );
    for (let n = 1; n <= 3; n++) {
      await stage.write([{}]);
      // Once, as a rule; an older transaction elsewhere that still runs holds the row back.
      const woken = () => {
        streamer.wake();
        return stage.streamed();
      };
      await eventually(woken, (rows) => rows.length === n);
    }
  });

  it('finds rows by polling when nobody wakes it', async () => {
    stage.stream({ pollIntervalMs: 50 });
    await stage.write([{}]);
    await whenStreamed(1);
    await stage.write([{}]);
    await whenStreamed(2);
  });

  it('reports its lag', async () => {
    let instant = new Date('2026-01-01T00:00:00Z');
    const streamer = stage.stream({ now: () => instant });
    await eventually(
      async () => streamer.lag,
      (lag) => lag.measuredAt !== undefined,
    );
    expect(streamer.lag).toEqual({
      rowsBehind: 0,
      secondsBehind: 0,
      refusedRows: 0,
      refusedAt: null,
      measuredAt: instant,
    });
    // An open transaction keeps the rows after it from being streamed.
    const blocker = await stage.openSession();
    await blocker.query('begin');
    await blocker.query('select pg_current_xact_id()');
    const writtenAt = Date.now() - 60_000;
    const reportedLate = new Date(writtenAt - 3_600_000);
    await stage.write([{ id: uuidv7({ msecs: writtenAt }), occurredAt: reportedLate }, {}]);
    instant = new Date('2026-01-01T00:01:00Z');
    const lag = await eventually(
      async () => streamer.lag,
      (found) => found.measuredAt === instant,
    );
    expect(lag.rowsBehind).toBe(2);
    expect(lag.secondsBehind).toBeGreaterThanOrEqual(60);
    expect(lag.secondsBehind).toBeLessThanOrEqual((Date.now() - writtenAt) / 1_000 + 1);
    await blocker.query('commit');
    await whenStreamed(2);
  });

  it('starts over when the position belongs to another database', async () => {
    const [id] = await stage.write([{}]);
    await stage.client.query(
      `insert into stream_positions (name, xid, event_id) values ('clickhouse', '999999999999', $1)`,
      [journalStart.eventId],
    );
    stage.stream();
    expect(ids(await whenStreamed(1))).toEqual([id]);
    expect(stage.logged.map((line) => line.msg)).toContainEqual(
      expect.stringContaining('belongs to another database'),
    );
  });
});

describe('several streamers', () => {
  it('take turns: one streams, and another takes over when it ends', async () => {
    const streamers = [stage.stream(), stage.stream()];
    const active = () => streamers.filter((streamer) => streamer.isActive);
    await eventually(async () => active().length, 1);
    await delay(100);
    expect(active()).toHaveLength(1);
    const [first] = active();
    await stage.write([{}]);
    await whenStreamed(1);
    await first?.stop();
    await eventually(async () => active().length, 1);
    await stage.write([{}]);
    expect(await whenStreamed(2)).toHaveLength(2);
  });

  it('lose the stream with their session, and one of them resumes it', async () => {
    const streamers = [stage.stream(), stage.stream()];
    const active = () => streamers.filter((streamer) => streamer.isActive).length;
    const killAll = () =>
      stage.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'posthaste-journal' and datname = current_database()`,
      );
    const written: string[] = [];
    for (let round = 0; round < 3; round++) {
      await eventually(async () => active(), 1);
      written.push(...(await stage.write([{}, {}])));
      await killAll();
      written.push(...(await stage.write([{}])));
      expect(ids(await whenStreamed(written.length))).toEqual(written.toSorted());
    }
  });
});
