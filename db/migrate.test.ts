import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrateDatabase } from './migrate.ts';
import { createOrm } from './orm.ts';
import { sql } from './sql.ts';

const name = `migrate_${randomUUID().replaceAll('-', '')}`;
let admin: pg.Client;
let url: string;

beforeAll(async () => {
  // Not the template of the tests, which nobody may be connected to while it is copied.
  const administration = new URL(inject('databaseUrl'));
  administration.pathname = '/postgres';
  admin = new pg.Client({ connectionString: administration.href });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const own = new URL(inject('databaseUrl'));
  own.pathname = `/${name}`;
  url = own.href;
});
afterAll(async () => {
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

it('begins again when somebody holds what a migration needs, and has no limit of statements', async () => {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; create table contacts (id int)');
  const limits = { statementMs: 20, lockMs: 20 };
  const orm = createOrm({ url, poolSize: 3, limits, warn: () => undefined });
  let isOver = false;
  const migrated = migrateDatabase(orm, url).finally(() => {
    isOver = true;
  });
  // Longer than a migration waits.
  await delay(4_000);
  expect(isOver).toBe(false);
  await holder.query('rollback');
  await holder.end();
  await migrated;
  const [row] = await sql<{ migrations: number }>(
    orm.em.fork(),
    'select count(*)::int as migrations from schema_migrations',
  );
  expect(row?.migrations).toBeGreaterThan(5);
  await orm.close();
});
