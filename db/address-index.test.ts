import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/setup/database.ts';
import { eventually } from '../test/setup/eventually.ts';
import { indexAddresses } from './address-index.ts';
import { addressIndex } from './entities/address-index.ts';
import { sql } from './testing/sql.ts';

let database: TestDatabase;
let writer: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
});
afterAll(async () => {
  await writer.end();
  await database.close();
});

const insertSql = `insert into contacts (id, project_id, email) values (uuidv7(), $1, 'ada@example.com')`;

async function isValid(): Promise<boolean | undefined> {
  const [found] = await sql<{ isValid: boolean }>(
    database.orm.em.fork(),
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [addressIndex.name],
  );
  return found?.isValid;
}

it('is built beside writers, and again when an attempt was cut off', async () => {
  const em = database.orm.em.fork();
  expect(await isValid()).toBe(true);
  await sql(em, `drop index ${addressIndex.name}`);
  await writer.query('begin');
  await writer.query(insertSql, [randomUUID()]);

  const cutOff = indexAddresses(database.orm).catch((error: unknown) => error);
  const builders = `select pid from pg_stat_progress_create_index where datname = current_database() and index_relid <> 0`;
  await eventually(
    () => sql(em, builders),
    (found) => found.length === 1,
  );
  await sql(em, insertSql, [randomUUID()]);
  // Another worker leaves it alone.
  await indexAddresses(database.orm);
  await sql(em, `select pg_terminate_backend(pid) from (${builders}) building`);
  expect(await cutOff).toBeInstanceOf(Error);
  expect(await isValid()).toBe(false);

  const built = indexAddresses(database.orm);
  await writer.query('commit');
  await built;
  expect(await isValid()).toBe(true);
});
