/**
 * Measures the stream from the journal to ClickHouse and the reads on top, with a Postgres that syncs to disk and the
 * ClickHouse of `npm start`, all on this machine. Usage: node bench/journal-run.ts [--rows=500000] [--events=3000000]
 * [--seconds=20]
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { activityStats } from '../analytics/questions/activity-stats.ts';
import { activityFeed, listEvents } from '../analytics/questions/event-listings.ts';
import { eventStats } from '../analytics/questions/event-stats.ts';
import { eventTable } from '../analytics/tables/event.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { createOrm } from '../db/orm.ts';
import { connectStreamer } from '../journal/connection.ts';
import { measureLag } from '../journal/lag.ts';
import { loadPosition } from '../journal/position.ts';
import { journalStart, readBatch } from '../journal/read-batch.ts';
import { JournalStreamer } from '../journal/streamer.ts';
import { startPostgres } from '../local/postgres.ts';
import { freePort } from '../local/testing/free-port.ts';
import { startBenchClickHouse } from './bench-clickhouse.ts';
import { cpuSecondsOf, residentMegabytesOf } from './bench-process.ts';
import { emitFigure } from './engine-bench.ts';
import { fillFeed } from './journal-feed.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '500000' },
    events: { type: 'string', default: '3000000' },
    seconds: { type: 'string', default: '20' },
  },
});
const journalRows = Number(values.rows);
const feedEvents = Number(values.events);
const seconds = Number(values.seconds);

const projectId = '01900000-0000-7000-8000-000000000001';
const log = pino({ level: 'warn' });

/** CPU seconds used by this process and ClickHouse. */
const usedCpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + cpuSecondsOf(server.pid);
};
const residentMegabytes = () => residentMegabytesOf(process.pid) + residentMegabytesOf(server.pid);

async function timed(times: number, work: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  const durations: number[] = [];
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now();
    await work();
    durations.push(performance.now() - startedAt);
  }
  return { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) };
}

const ratePerSecond = (rows: number, startedAt: number) =>
  Math.round((rows / (performance.now() - startedAt)) * 1000);

/** Rows as the product writes them: two of three about emails, some 300 bytes each. */
const writeSql = `
insert into events (id, project_id, name, kind, contact_id, email_id, data, occurred_at)
select uuidv7(), $1,
  (array['email.sent', 'email.delivery', 'email.open', 'email.click', 'page viewed', 'order placed'])[n % 6 + 1],
  case when n % 6 < 4 then 'emitted' else 'tracked' end,
  gen_random_uuid(),
  case when n % 6 < 4 then uuidv7() end,
  case when n % 6 < 4 then jsonb_build_object('emailId', gen_random_uuid(), 'messageId', '0100019' || n,
    'subject', 'Hello number "' || n % 1000 || '"', 'from', 'news@shop.example.com',
    'templateId', gen_random_uuid(), 'sourceType', 'CAMPAIGN')
  else jsonb_build_object('path', '/products/' || n % 5000, 'price', n % 100) end,
  now()
from generate_series(1, $2::int) n`;

async function fillJournal(databaseUrl: string): Promise<void> {
  const client = await connectStreamer(databaseUrl);
  for (let written = 0; written < journalRows; written += 50_000) {
    await client.query(writeSql, [projectId, Math.min(50_000, journalRows - written)]);
  }
  await client.end();
}

async function measureHalves(databaseUrl: string, bare: ClickHouse): Promise<Figure['limits']> {
  const client = await connectStreamer(databaseUrl);
  const batches: string[] = [];
  let position = journalStart;
  let rows = 0;
  let startedAt = performance.now();
  while (rows < Math.min(200_000, journalRows)) {
    const batch = await readBatch(client, position, 10_000);
    batches.push(batch.lines);
    rows += batch.rows;
    position = batch.end;
  }
  const readRate = ratePerSecond(rows, startedAt);
  await client.end();
  startedAt = performance.now();
  for (const batch of batches) await bare.insert(eventTable, batch);
  const insertRate = ratePerSecond(rows, startedAt);
  const bytes = Math.round(batches.reduce((sum, lines) => sum + lines.length, 0) / rows);
  return [
    { what: `bare insert, batches of 10,000, ${bytes} bytes a row`, value: insertRate },
    { what: 'bare read from Postgres, as lines', value: readRate },
  ];
}

async function measureCatchUp(
  databaseUrl: string,
  clickhouse: ClickHouse,
  limits: Figure['limits'],
): Promise<void> {
  const client = await connectStreamer(databaseUrl);
  let peak = 0;
  const cpu = usedCpuSeconds();
  const startedAt = performance.now();
  const streamer = new JournalStreamer({ databaseUrl, clickhouse, log });
  for (;;) {
    await delay(20);
    peak = Math.max(peak, residentMegabytes());
    const lag = await measureLag(client, await loadPosition(client), new Date());
    if (lag.rowsBehind === 0) break;
  }
  const rate = ratePerSecond(journalRows, startedAt);
  const used = usedCpuSeconds() - cpu;
  await streamer.stop();
  await client.end();
  const microseconds = (used * 1e6) / journalRows;
  await delay(5_000);
  emitFigure({
    work: 'catch-up of the stream',
    value: rate,
    unit: '/s',
    bar: { atLeast: 50_000 },
    limits,
    note:
      `${microseconds.toFixed(1)} µs of CPU a row, engine and merges included; memory ${peak} MB at its peak, ` +
      `${residentMegabytes()} MB 5 s later`,
  });
}

async function measureLagUnderLoad(databaseUrl: string, clickhouse: ClickHouse): Promise<void> {
  const [writer, observer] = [await connectStreamer(databaseUrl), await connectStreamer(databaseUrl)];
  const streamer = new JournalStreamer({ databaseUrl, clickhouse, log });
  await delay(500);
  const cpu = usedCpuSeconds();
  const lags: number[] = [];
  const startedAt = performance.now();
  const observing = (async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const lag = await measureLag(observer, await loadPosition(observer), new Date());
      lags.push(lag.secondsBehind * 1000);
      await delay(50);
    }
  })();
  let written = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * 5000);
    if (due > written) {
      await writer.query(writeSql, [projectId, due - written]);
      streamer.wake();
      written = due;
    }
    await delay(10);
  }
  const rate = ratePerSecond(written, startedAt);
  await observing;
  const used = usedCpuSeconds() - cpu;
  const cores = used / seconds;
  emitFigure({
    work: 'lag at 5,000 events/s, p99',
    value: percentile(lags, 0.99),
    unit: 'ms',
    bar: { below: 2_000 },
    note:
      `written ${rate}/s; p50 ${percentile(lags, 0.5).toFixed(0)} ms, most ${percentile(lags, 1).toFixed(0)} ms; ` +
      `${cores.toFixed(2)} cores, engine and merges included`,
  });

  await delay(1000);
  const shown = async (wake: boolean) => {
    const contactId = uuidv7();
    const single = `insert into events (id, project_id, name, kind, contact_id, occurred_at)
      values ($1, $2, 'page viewed', 'tracked', $3, now())`;
    await writer.query(single, [uuidv7(), projectId, contactId]);
    if (wake) streamer.wake();
    const since = new Date(Date.now() - 60_000);
    while (
      (await listEvents(clickhouse, { projectId, contactId, startDate: since, limit: 1 })).length === 0
    ) {
      await delay(2);
    }
  };
  /** Pause between rows, so that the stream is idle before each: longer than it rests after an insert. */
  const idleMs = 2_000;
  const woken = await timed(20, async () => {
    await delay(idleMs);
    await shown(true);
  });
  const polled = await timed(20, async () => {
    await delay(idleMs);
    await shown(false);
  });
  emitFigure({
    work: 'a row shows when idle, p95',
    value: woken.p95 - idleMs,
    unit: 'ms',
    bar: { below: 200 },
    note: `not woken, polled every 250 ms: p95 ${(polled.p95 - idleMs).toFixed(0)} ms`,
  });
  await streamer.stop();
  await writer.end();
  await observer.end();
}

async function measureReads(clickhouse: ClickHouse): Promise<void> {
  const days = 60;
  const start = new Date(Date.now() - days * 86_400_000);
  await fillFeed(clickhouse, { projectId, start, days, events: feedEvents });
  await delay(3000);
  const instant = () => new Date(start.getTime() + Math.random() * days * 86_400_000);
  const page = { projectId, limit: 51 };
  const contactSql = {
    name: 'any contact',
    sql: `SELECT toString(contact_id) AS id FROM event LIMIT 1 OFFSET 4321`,
  };
  const [contact] = await clickhouse.query(
    { ...contactSql, row: { parse: (row: unknown) => row } as never },
    {},
  );
  const contactId = String((contact as { id: string } | undefined)?.id);
  const deep = () => ({ before: { occurredAt: instant(), id: uuidv7() } });
  const month = { projectId, startDate: new Date(Date.now() - 30 * 86_400_000), endDate: new Date() };
  const asked: [string, number, () => Promise<unknown>, number?][] = [
    ['feed, first page', 200, () => activityFeed(clickhouse, page), 30],
    ['feed, page anywhere', 200, () => activityFeed(clickhouse, { ...page, ...deep() }), 30],
    ['feed, one type', 100, () => activityFeed(clickhouse, { ...page, ...deep(), types: ['email.clicked'] })],
    ['feed, one contact', 50, () => activityFeed(clickhouse, { ...page, contactId })],
    ['events, one name', 100, () => listEvents(clickhouse, { ...page, ...deep(), name: 'order placed' })],
    ['activity stats, 30 days', 10, () => activityStats(clickhouse, month)],
    ['event stats, 30 days', 10, () => eventStats(clickhouse, month)],
  ];
  for (const [name, times, ask, below] of asked) {
    const { p50, p95 } = await timed(times, ask);
    emitFigure({
      work: `${name}, ${feedEvents / 1e6} M events, p95`,
      value: p95,
      unit: 'ms',
      ...(below !== undefined && { bar: { below } }),
      note: `p50 ${p50.toFixed(1)} ms`,
    });
  }
}

const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-bench-'));
const cluster = path.join(directory, 'postgres');
await mkdir(cluster);
const postgres = await startPostgres({
  directory: cluster,
  port: await freePort(),
  password: 'bench',
  log: () => undefined,
});
const server = await startBenchClickHouse(path.join(directory, 'clickhouse'));
try {
  const orm = createOrm({ url: postgres.url, poolSize: 2, warn: () => undefined });
  await migrateDatabase(orm, postgres.url);
  await orm.close();
  const open = async (database: string) => {
    const store = server.connect(database);
    await migrateClickHouse(store);
    return store;
  };
  const clickhouse = await open('posthaste');
  await delay(1000);
  emitFigure({
    work: 'memory of this process and ClickHouse when idle',
    value: residentMegabytes(),
    unit: 'MB',
    bar: { below: 600 },
    note: `ClickHouse ${residentMegabytesOf(server.pid)} MB of it`,
  });
  await fillJournal(postgres.url);
  const bare = await open('bare');
  const limits = await measureHalves(postgres.url, bare);
  await bare.close();
  await measureCatchUp(postgres.url, clickhouse, limits);
  await measureLagUnderLoad(postgres.url, clickhouse);
  const reads = await open('reads');
  await measureReads(reads);
  await reads.close();
  await clickhouse.close();
} finally {
  await Promise.all([postgres.stop(), server.stop()]);
  await rm(directory, { recursive: true, force: true });
}
