import { Registry } from 'prom-client';
import { afterAll, expect, it } from 'vitest';
import { createOrm } from '../db/orm.ts';
import { useTestDatabase } from '../test/setup/database.ts';
import { eventually } from '../test/setup/eventually.ts';
import { registerDatabaseGauges } from './database-gauges.ts';
import { presentError, type Warn } from './logger.ts';

const database = useTestDatabase();
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

function gaugesOf(url: string, warn: Warn = () => undefined) {
  const orm = createOrm({ url, poolSize: 4, warn: () => undefined });
  closing.push(() => orm.close());
  const registry = new Registry();
  registerDatabaseGauges(registry, orm, warn);
  return registry;
}

/** On a busy machine a reading may time out; a later one then has the lines. */
const readUntil = (registry: Registry, ...lines: string[]) =>
  eventually(
    () => registry.metrics(),
    (text) => lines.every((line) => text.includes(line)),
  );

const namesIn = (text: string) => new Set(text.match(/^posthaste_\w+/gm));

it('are left out while Postgres is down, which is logged, and the others are still exported', async () => {
  const reasons: (string | undefined)[] = [];
  const warn: Warn = (_, err) => reasons.push(presentError(err).code);
  const text = await gaugesOf('postgres://nobody@127.0.0.1:1/nothing', warn).metrics();
  expect(reasons).toEqual(Array(4).fill('ECONNREFUSED'));
  expect(text).toContain('posthaste_postgres_up 0');
  expect(namesIn(text)).toEqual(
    new Set([
      'posthaste_postgres_up',
      'posthaste_postgres_pool_connections',
      'posthaste_postgres_pool_connections_max',
      'posthaste_postgres_pool_waiting',
    ]),
  );
});

it('say that Postgres answers but accepts no writes, on connections that keep the setting', async () => {
  const readOnly = new URL(database.url);
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  await readUntil(gaugesOf(readOnly.href), 'posthaste_postgres_up 1', 'posthaste_postgres_writable 0');
  await readUntil(gaugesOf(database.url), 'posthaste_postgres_up 1', 'posthaste_postgres_writable 1');
});

it('of a table that is locked are left out, and asked for once, until it answers', async () => {
  const registry = gaugesOf(database.url);
  await readUntil(registry, 'posthaste_outbox_waiting{lane="work"} 0');
  await database.orm.em.fork().transactional(async (em) => {
    await em.execute('lock table outbox in access exclusive mode');
    const others = ['posthaste_postgres_up 1', 'posthaste_sending_backlog{kind="single"} 0'];
    const [text] = await Promise.all([readUntil(registry, ...others), registry.metrics()]);
    expect(namesIn(text)).not.toContain('posthaste_outbox_waiting');
    await eventually(
      () =>
        em.execute<{ count: number }[]>(
          `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        ),
      ([waiting]) => waiting?.count === 1,
    );
  });
  await readUntil(registry, 'posthaste_outbox_waiting{lane="work"} 0');
});
