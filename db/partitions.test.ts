import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/setup/database.ts';
import { acceptInput, providerEvent } from '../test/setup/inputs.ts';
import { applyFunctions, columnFunctions } from './apply-functions.ts';
import { keepPartitions } from './keep-partitions.ts';
import { migrateDatabase } from './migrate.ts';
import { createOrm, type Em, type Orm } from './orm.ts';
import { dropStaleCheck } from './partition-events.ts';
import { acceptEmails } from './statements/emails/accept-emails.ts';
import { applyProviderEvents } from './statements/emails/apply-provider-events.ts';
import { sql } from './testing/sql.ts';

const dayMs = 86_400_000;
const projectId = uuidv7();
const previousMigration = '2026-11-22-roomy-emails';
/** As processes of that version write it. */
const oldNotification = 'insert into provider_notifications (id) values ($1) on conflict (id) do nothing';

let database: TestDatabase;
let url: string;
let orm: Orm;
let em: Em;

/** @param template the database to copy; a fully migrated one by default */
async function openDatabase(template?: string): Promise<void> {
  database = await createTestDatabase(6, template);
  ({ url, orm } = database);
  em = orm.em.fork();
}
afterEach(() => database.close());

const addressOf = (name: string) => {
  const address = new URL(inject('databaseUrl'));
  address.pathname = `/${name}`;
  return address.href;
};

/** Events of the last days. @param bytes size of the data of each */
const insertEvents = (rows: number, bytes = 0) =>
  sql(
    em,
    `insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
     select uuidv7(-age), $1, 'opened', case n % 2 when 0 then 'tracked' else 'activity' end, uuidv7(),
       jsonb_build_object('text', repeat('x', $3)), now() - age
     from (select n, n * interval '1 second' as age from generate_series(1, $2::int) n) s`,
    [projectId, rows, bytes],
  );
const insertEvent = (id: string, where = em) =>
  sql(
    where,
    `insert into events (id, project_id, name, kind, occurred_at) values ($1, $2, 'opened', 'tracked', now())`,
    [id, projectId],
  );
async function numberOf(query: string, parameters: unknown[] = []): Promise<number> {
  const [row] = await sql<{ n: number }>(em, `select count(*)::int as n from ${query}`, parameters);
  return row?.n ?? -1;
}
async function partitionOf(id: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }>(
    em,
    'select tableoid::regclass::text as name from events where id = $1',
    [id],
  );
  return row?.name;
}
async function schemaDifference(): Promise<string[]> {
  const text = await orm.schema.getUpdateSchemaSQL({ wrap: false });
  return text.split('\n').filter((line) => !/^(drop (function|trigger|view) |$)/.test(line));
}
const isPartitioned = async () =>
  (await numberOf(`pg_partitioned_table where partrelid = 'events'::regclass`)) === 1;
const idAt = (msecs: number) => uuidv7({ msecs });

describe('an upgrade to partitions', () => {
  /** Database of the version before partitions. */
  const previous = `previous_${randomUUID().replaceAll('-', '')}`;
  let admin: pg.Client;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: addressOf('postgres') });
    await admin.connect();
    await admin.query(`create database ${previous}`);
    // Nobody may be connected to it while it is copied.
    const own = createOrm({ url: addressOf(previous), poolSize: 2, warn: () => undefined });
    await own.em.fork().transactional(async (transaction) => {
      await applyFunctions(transaction, columnFunctions);
      await own.migrator.up({ to: previousMigration, transaction: transaction.getTransactionContext() });
    });
    await own.close();
  });
  afterAll(async () => {
    await admin.query(`drop database ${previous} with (force)`);
    await admin.end();
  });
  beforeEach(() => openDatabase(previous));

  it('of few events happens in the migration, and later events get a partition per month', async () => {
    await insertEvents(500);
    await migrateDatabase(orm, url);
    expect(await isPartitioned()).toBe(true);
    expect(await schemaDifference()).toEqual([]);
    expect(await numberOf('events')).toBe(500);
    expect(await numberOf('events_legacy')).toBe(500);
    const now = new Date();
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15);
    const id = idAt(nextMonth);
    await insertEvent(id);
    const expected = new Date(nextMonth).toISOString().slice(0, 7).replace('-', '_');
    expect(await partitionOf(id)).toBe(`events_${expected}`);
    await expect(insertEvent(id)).rejects.toThrow(/duplicate key/);
  });

  it('of many events happens during traffic, loses none, and can be repeated', async () => {
    await insertEvents(25_000, 1_500);
    await migrateDatabase(orm, url);
    expect(await isPartitioned()).toBe(false);
    expect(await schemaDifference()).toEqual([]);
    let isOver = false;
    const written: string[] = [];
    const traffic = (async () => {
      while (!isOver) {
        const id = uuidv7();
        await insertEvent(id, orm.em.fork());
        written.push(id);
      }
    })();
    const figures = await keepPartitions(orm.em.fork(), new Date(), 0);
    isOver = true;
    await traffic;
    expect(await isPartitioned()).toBe(true);
    expect(figures.added).toBeGreaterThan(0);
    expect(await schemaDifference()).toEqual([]);
    expect(await numberOf('events')).toBe(25_000 + written.length);
    expect(await numberOf('events_default')).toBe(0);
    expect(await keepPartitions(orm.em.fork(), new Date(), 0)).toEqual({ added: 0, dropped: 0 });
    await migrateDatabase(orm, url);
    expect(await numberOf('events where id = any($1::uuid[])', [written])).toBe(written.length);
  });

  it('keeps the grants on events', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    await sql(em, `create role ${role}`);
    try {
      await sql(em, `grant select on events to ${role} with grant option`);
      await sql(em, 'grant insert on events to public');
      await migrateDatabase(orm, url);
      expect(await isPartitioned()).toBe(true);
      const [may] = await sql(
        em,
        `select has_table_privilege($1, 'events', 'select with grant option') as "pass on",
           has_table_privilege($1, 'events', 'insert') as insert, has_table_privilege($1, 'events', 'delete') as delete`,
        [role],
      );
      expect(may).toEqual({ 'pass on': true, insert: true, delete: false });
    } finally {
      await sql(em, `drop owned by ${role}`);
      await sql(em, `drop role ${role}`);
    }
  });

  it('that was interrupted refuses no event later', async () => {
    await migrateDatabase(orm, url);
    await sql(em, 'alter table events rename to events_gone');
    await sql(em, 'create table events (id uuid primary key)');
    const end = Date.now() + 40 * dayMs;
    await sql(
      em,
      `alter table events add constraint events_legacy_range check (id < '${idAt(end)}') not valid`,
    );
    const drop = (now: number) => orm.em.fork().transactional((run) => dropStaleCheck(run, new Date(now)));
    const checks = () => numberOf(`pg_constraint where conname = 'events_legacy_range'`);
    await drop(end - 11 * dayMs);
    expect(await checks()).toBe(1);
    await drop(end - 9 * dayMs);
    expect(await checks()).toBe(0);
  });
});

describe('partitions', () => {
  beforeEach(() => openDatabase());

  it('past retention are dropped once ClickHouse has their rows', async () => {
    const now = new Date();
    const [old, recent] = [uuidv7(), idAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 2))];
    await insertEvent(old);
    await insertEvent(recent);
    const later = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3, 2));
    await keepPartitions(orm.em.fork(), later, 0);
    expect(await numberOf('events')).toBe(2);
    await keepPartitions(orm.em.fork(), later, 2);
    expect(await numberOf('events')).toBe(2);
    await sql(
      em,
      `insert into stream_positions (name, xid, event_id)
       select 'clickhouse', xid, id from events order by xid desc, id desc limit 1`,
    );
    const { dropped } = await keepPartitions(orm.em.fork(), later, 2);
    expect(dropped).toBeGreaterThan(0);
    expect(await partitionOf(old)).toBeUndefined();
    expect(await partitionOf(recent)).toBeDefined();
  });

  it('being dropped cause a full computation of the segments that counted their events', async () => {
    const clock = (nth: number) => ({ of: 'event', name: 'bought', nth, ms: 365 * dayMs });
    for (const [input, nth, isCurrent] of [
      ['clock.often', 3, true],
      ['clock.once', 1, true],
      ['clock.computing', 3, false],
    ] as const) {
      await sql(em, 'insert into segment_inputs (project_id, input, clock) values ($1, $2, $3)', [
        projectId,
        input,
        JSON.stringify(clock(nth)),
      ]);
      await sql(
        em,
        `insert into segments
           (id, project_id, name, type, slug, condition, track_membership, is_current, plan_id, inputs)
         values ($1, $2, $3, 'DYNAMIC', $3, '{}', true, $4, $1, array[$3])`,
        [uuidv7(), projectId, input, isCurrent],
      );
    }
    await insertEvent(uuidv7());
    await sql(
      em,
      `insert into stream_positions (name, xid, event_id) select 'clickhouse', xid, id from events`,
    );
    const later = new Date(Date.now() + 100 * dayMs);
    await keepPartitions(orm.em.fork(), later, 1);
    const stale = await sql<{ name: string }>(
      em,
      'select name from segments where not is_current and plan_id is null order by name',
    );
    expect(stale.map((segment) => segment.name)).toEqual(['clock.computing', 'clock.often']);
  });

  it('take over rows that were in the default partition because they were missing', async () => {
    const now = new Date();
    const early = idAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 6, 10));
    await insertEvent(early);
    expect(await partitionOf(early)).toBe('events_default');
    const later = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 4, 2));
    await keepPartitions(orm.em.fork(), later, 0);
    expect(await partitionOf(early)).not.toBe('events_default');
    expect(await numberOf('events')).toBe(1);
  });

  it('are protected from older processes that delete by ctid', async () => {
    await insertEvent(uuidv7());
    await expect(
      sql(em, `delete from events where ctid = any(array(select ctid from events where project_id = $1))`, [
        projectId,
      ]),
    ).rejects.toThrow(/cannot be deleted by ctid/);
    expect(await numberOf('events')).toBe(1);
  });
});

describe('a provider notification', () => {
  let emailId: string;
  beforeEach(async () => {
    await openDatabase();
    const input = acceptInput(projectId, ['ada@example.com']);
    await acceptEmails(orm.em.fork(), [input]);
    emailId = input.recipients[0]?.emailId ?? '';
  });
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  const open = (notificationId: string, publishedOn: string) =>
    applyProviderEvents(orm.em.fork(), [providerEvent(emailId, 'open', { notificationId, publishedOn })]);
  const opens = async () => {
    const [row] = await sql<{ opens: number }>(em, 'select opens from emails where id = $1', [emailId]);
    return row?.opens;
  };

  it.each([0, 1, 14])(
    'that was published %i days ago counts once, however often it is delivered',
    async (ago) => {
      const id = randomUUID();
      expect(await open(id, day(ago))).toEqual(['applied']);
      await keepPartitions(orm.em.fork(), new Date(Date.now() + (14 - ago) * dayMs), 0);
      expect(await open(id, day(ago))).toEqual(['duplicate']);
      expect(await opens()).toBe(1);
    },
  );

  it('that an older process has handled or is handling counts once', async () => {
    const [before, beside] = [randomUUID(), randomUUID()];
    await sql(em, oldNotification, [before]);
    expect(await open(before, day(0))).toEqual(['duplicate']);
    const older = new pg.Client({ connectionString: url });
    await older.connect();
    try {
      await older.query('begin');
      expect((await older.query(oldNotification, [beside])).rowCount).toBe(1);
      const newer = open(beside, day(13));
      await older.query('commit');
      expect(await newer).toEqual(['duplicate']);
    } finally {
      await older.end();
    }
    expect(await opens()).toBe(0);
  });

  it('that a newer process has handled is a duplicate for an older one', async () => {
    const id = randomUUID();
    expect(await open(id, day(3))).toEqual(['applied']);
    const older = new pg.Client({ connectionString: url });
    await older.connect();
    expect((await older.query(oldNotification, [id])).rowCount).toBe(0);
    await older.end();
  });

  it('is forgotten with the partition of its day', async () => {
    const id = randomUUID();
    await open(id, day(0));
    await keepPartitions(orm.em.fork(), new Date(Date.now() + 30 * dayMs), 0);
    expect(await numberOf('handled_notifications where id = $1', [id])).toBe(1);
    const { dropped } = await keepPartitions(orm.em.fork(), new Date(Date.now() + 32 * dayMs), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(await numberOf('handled_notifications where id = $1', [id])).toBe(0);
  });
});
