import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { eventually } from '../test/setup/eventually.ts';
import { startTcpRelay } from '../test/setup/tcp-relay.ts';
import { indexAddresses } from './address-index.ts';
import { addressIndex } from './entities/address-index.ts';
import { createOrm } from './orm.ts';

const database = useTestDatabase();
const { sql } = database;
let writer: pg.Client;
beforeAll(async () => {
  writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
});
afterAll(async () => {
  await writer.end();
});

const insertSql = `insert into contacts (id, project_id, email) values (uuidv7(), $1, 'ada@example.com')`;

async function isValid(): Promise<boolean | undefined> {
  const [found] = await sql<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [addressIndex.name],
  );
  return found?.isValid;
}

it('is built while others write, and rebuilt after an interrupted attempt', async () => {
  expect(await isValid()).toBe(true);
  await sql(`drop index ${addressIndex.name}`);
  await writer.query('begin');
  await writer.query(insertSql, [randomUUID()]);

  const cutOff = indexAddresses(database.orm).catch((error: unknown) => error);
  const builders = `select pid from pg_stat_progress_create_index where datname = current_database() and index_relid <> 0`;
  await eventually(
    () => sql(builders),
    (found) => found.length === 1,
  );
  await sql(insertSql, [randomUUID()]);
  // Another worker does nothing.
  await indexAddresses(database.orm);
  await sql(`select pg_terminate_backend(pid) from (${builders}) building`);
  expect(await cutOff).toBeInstanceOf(Error);
  expect(await isValid()).toBe(false);

  const built = indexAddresses(database.orm);
  await writer.query('commit');
  await built;
  expect(await isValid()).toBe(true);
});

it('fails when its connection breaks, without ending the process', async () => {
  await sql(`drop index ${addressIndex.name}`);
  const relay = await startTcpRelay([Number(new URL(database.url).port)]);
  const url = new URL(database.url);
  url.host = `127.0.0.1:${relay.port}`;
  const orm = createOrm({ url: url.href, poolSize: 4, warn: () => undefined });
  await writer.query('begin');
  await writer.query(insertSql, [randomUUID()]);
  const cutOff = indexAddresses(orm).catch((error: unknown) => error);
  await eventually(isValid, false);
  // Vitest fails on an error without a listener.
  relay.cutOff();
  expect(await cutOff).toBeInstanceOf(Error);
  await writer.query('commit');
  await Promise.all([orm.close(), relay.close()]);
});
