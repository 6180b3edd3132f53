import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OwnClickHouse, startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { type ClickHouse, connectClickHouse } from './clickhouse.ts';
import { countColumn, type Question } from './client/question.ts';
import { migrateClickHouse } from './migrate.ts';
import { migrations } from './migrations/index.ts';

const tables: Question<Record<string, never>, { name: string; definition: string }> = {
  name: 'tables',
  sql: `SELECT name, create_table_query AS definition FROM system.tables
    WHERE database = currentDatabase() ORDER BY name`,
  row: z.object({ name: z.string(), definition: z.string() }),
};

const ledger: Question<Record<string, never>, { version: number }> = {
  name: 'ledger',
  sql: 'SELECT version FROM schema_migration FINAL ORDER BY version',
  row: z.object({ version: countColumn }),
};

const root = mkdtempSync(join(tmpdir(), 'posthaste-migrate-'));
let front: OwnClickHouse;
beforeAll(async () => {
  front = await startOwnClickHouse(root);
});
afterAll(async () => {
  await front.kill();
  rmSync(root, { recursive: true, force: true });
});

let databases = 0;
function connect(database: string): ClickHouse {
  return connectClickHouse({ url: front.url, username: 'default', password: '', database });
}
function freshDatabase(): ClickHouse {
  databases += 1;
  return connect(`fresh_${databases}`);
}

describe('migrateClickHouse', () => {
  it('creates the tables once, however many processes migrate and however often', async () => {
    const store = freshDatabase();
    await migrateClickHouse(store);
    const before = await store.query(tables, {});
    expect(before.map((table) => table.name)).toEqual([
      'day_change',
      'day_change_view',
      'email_state',
      'email_state_view',
      'event',
      'event_name',
      'event_name_view',
      'figure',
      'figure_view',
      'request_log',
      'schema_migration',
    ]);
    await migrateClickHouse(store);
    expect(await store.query(tables, {})).toEqual(before);
    expect(await store.query(ledger, {})).toEqual(migrations.map(({ version }) => ({ version })));
  });

  it('can be run by several processes at once', async () => {
    await connect('together').createDatabase();
    const stores = Array.from({ length: 4 }, () => connect('together'));
    await Promise.all(stores.map((store) => migrateClickHouse(store)));
    const [store] = stores;
    expect(await store?.query(ledger, {})).toEqual(migrations.map(({ version }) => ({ version })));
  });

  it('resumes where a run was cut off', async () => {
    const store = freshDatabase();
    await store.createDatabase();
    const [first] = migrations;
    for (const statement of first?.statements.slice(0, 2) ?? []) await store.command(statement);
    await migrateClickHouse(store);
    expect((await store.query(tables, {})).map((table) => table.name)).toContain('event_name_view');
  });

  it('sets, changes and takes back the retention of a table', async () => {
    const store = freshDatabase();
    const ttls = async () => {
      const found = await store.query(tables, {});
      return found.flatMap(({ name, definition }) => {
        const days = /TTL .*toIntervalDay\((\d+)\)/.exec(definition)?.[1];
        return days === undefined ? [] : [`${name} ${days}`];
      });
    };
    await migrateClickHouse(store, { event: 30 });
    expect(await ttls()).toEqual(['event 30', 'event_name 30', 'request_log 7']);
    await migrateClickHouse(store, { event: 400, email_state: 800, figure: 900 });
    expect(await ttls()).toEqual([
      'email_state 800',
      'event 400',
      'event_name 400',
      'figure 900',
      'request_log 7',
    ]);
    await migrateClickHouse(store);
    expect(await ttls()).toEqual(['request_log 7']);
    await expect(migrateClickHouse(store, { event: 0.5 })).rejects.toThrow('Not a number of days');
  });
});
