import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClickHouse } from '../analytics/clickhouse.ts';
import { type EventInsertRow, toEventLine } from '../analytics/testing/event-row.ts';
import { eventually } from '../test/setup/eventually.ts';
import { fileFixture } from '../test/setup/fixtures.ts';
import { connectStreamer } from './connection.ts';
import { type JournalBatch, type JournalPosition, journalStart, readBatch } from './read-batch.ts';
import { openJournalStage } from './testing/journal-stage.ts';

const stage = fileFixture(
  () => openJournalStage(withoutClickHouse()),
  ({ close }) => close(),
);
let client: pg.Client;
beforeAll(async () => {
  client = await connectStreamer(stage.databaseUrl);
});
afterAll(() => client.end());

const readNext = (position: JournalPosition, maxRows: number) => readBatch(client, position, maxRows);

/** Waits for rows: an older transaction of another test that still runs holds them back. */
function firstBatch(position: JournalPosition, maxRows: number): Promise<JournalBatch> {
  return eventually(
    () => readNext(position, maxRows),
    (batch) => batch.rows > 0,
  );
}

describe('readBatch', () => {
  it('has Postgres write the lines that toEventLine writes', async () => {
    const event = { id: uuidv7(), name: 'a\\b\tc\nd\re "😀"', data: '{"a": "\\\\ \\t \\" \\u0001"}' };
    const occurredAt = new Date('2026-01-02T03:04:05.006Z');
    await stage.write([{ ...event, occurredAt }]);
    const batch = await firstBatch(journalStart, 10);
    const row: EventInsertRow = {
      projectId: stage.projectId,
      eventId: event.id,
      occurredAt,
      name: event.name,
      kind: 'tracked',
      activityType: 'event.tracked',
      contactId: null,
      emailId: null,
      campaignId: null,
      workflowId: null,
      data: JSON.parse(event.data),
    };
    // jsonb prints a space after a colon.
    expect(batch.lines).toBe(toEventLine(row).replace('":"', '": "'));
    expect(batch.isFull).toBe(false);
    expect(await readBatch(client, batch.end, 10)).toEqual({
      lines: '',
      rows: 0,
      end: batch.end,
      isFull: false,
    });
  });

  it('ends a batch early when its rows are large', async () => {
    const { end } = await readBatch(client, journalStart, 10_000);
    const large = () => JSON.stringify({ noise: randomBytes(750_000).toString('base64') });
    await stage.write(Array.from({ length: 12 }, () => ({ data: large() })));
    const sizes: number[] = [];
    for (let position = end; ; ) {
      const batch = await (sizes.length === 0 ? firstBatch : readNext)(position, 10_000);
      if (batch.rows === 0) break;
      expect(batch.isFull).toBe(sizes.length === 0);
      sizes.push(batch.rows);
      position = batch.end;
    }
    expect(sizes.reduce((sum, size) => sum + size)).toBe(12);
    expect(sizes).toHaveLength(2);
  });

  it.each([
    ['compresses to a hundredth', 200, { text: '\\'.repeat(16_000) }],
    ['is far longer as text', 6, { numbers: Array(9_000).fill(1e308) }],
  ])('bounds the lines of a batch when data %s', async (_, count, data) => {
    const unread = new Set(
      await stage.write(Array.from({ length: count }, () => ({ data: JSON.stringify(data) }))),
    );
    for (let end = journalStart; unread.size > 0; ) {
      const batch = await firstBatch(end, 10_000);
      expect(batch.lines.length).toBeLessThan(12_000_000);
      for (const line of batch.lines.split('\n')) unread.delete(line.split('\t')[1] ?? '');
      end = batch.end;
    }
  });

  it('reads only the rows of its batch, by the index, even from a table without statistics', async () => {
    await stage.client.query(
      `insert into events (id, project_id, name, kind, occurred_at)
      select uuidv7(n % 3 * interval '1 month'), $1, 'page viewed', 'tracked', now() from generate_series(1, 20000) n`,
      [stage.projectId],
    );
    const observer = await connectStreamer(stage.databaseUrl);
    const notices: string[] = [];
    observer.on('notice', (notice) => notices.push(notice.message ?? ''));
    await observer.query(`load 'auto_explain'`);
    await observer.query(`set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
      set auto_explain.log_level = 'notice'; set client_min_messages = 'notice'`);
    let position = journalStart;
    // Postgres switches to a generic plan at the sixth execution.
    for (let n = 0; n < 8; n++) position = (await readBatch(observer, position, 500)).end;
    await observer.end();
    expect(notices).toHaveLength(8);
    for (const plan of notices) {
      expect(plan).toMatch(/Index Scan using events_\w+ on events_/);
      expect(plan).not.toContain('Seq Scan');
      expect(plan).toMatch(/Index Cond: \(\(ROW\(xid, id\) > ROW\(.*\)\) AND \(xid < pg_snapshot_xmin/);
      expect(plan).not.toMatch(/\bSort {2}\(/);
      const scans = [...plan.matchAll(/Index Scan using .*actual time=\S+ rows=(\d+)/g)];
      const read = scans.reduce((sum, [, rows]) => sum + Number(rows), 0);
      // Each partition is read one row ahead.
      expect(read).toBeLessThanOrEqual(500 + scans.length);
    }
  });
});
