import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { migrateDatabase } from '../../db/migrate.ts';
import { createOrm, type Em, type Orm } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { fileFixture } from './fixtures.ts';

export interface TestDatabase {
  readonly url: string;
  readonly orm: Orm;
  /** Creates an entity manager. */
  em(): Em;
  /** Runs a statement. */
  sql<Row = object>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

async function administrate(statement: string): Promise<void> {
  const url = new URL(inject('databaseUrl'));
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // Concurrent copies of one template block each other.
    await client.query('select pg_advisory_lock(1)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const objectInUse = '55006';

/**
 * Creates a migrated, empty database for one test file. Copying files takes a sixth of the time of copying by WAL.
 *
 * @param template another database to copy, which must have no connections
 */
export async function createTestDatabase(poolSize = 10, template = 'posthaste'): Promise<TestDatabase> {
  const name = newName();
  // Postgres refuses if one of its own processes is connected to the template, after waiting five seconds for it to
  // leave.
  for (let triesLeft = 10; ; triesLeft -= 1) {
    try {
      await administrate(`create database ${name} template ${template} strategy file_copy`);
      break;
    } catch (error) {
      if (triesLeft === 0 || !(error instanceof pg.DatabaseError && error.code === objectInUse)) throw error;
    }
  }
  return openDatabase(name, poolSize);
}

/** Creates a migrated, empty database that sorts text by the rules of a language, as many servers do. */
export async function createIcuDatabase(locale: string): Promise<TestDatabase> {
  const name = newName();
  await administrate(
    `create database ${name} template template0 locale_provider icu icu_locale '${locale}' strategy file_copy`,
  );
  const database = openDatabase(name, 3);
  await migrateDatabase(database.orm, database.url);
  return database;
}

const newName = () => `test_${randomUUID().replaceAll('-', '')}`;

function openDatabase(name: string, poolSize: number): TestDatabase {
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${name}`;
  const orm = openPool(url.href, poolSize);
  return describeDatabase(url.href, orm, async () => {
    await orm.close();
    await administrate(`drop database ${name} with (force)`);
  });
}

const patient = { connectionTimeoutMs: 300_000, connectMs: 300_000 };

/**
 * Without a time limit for connections: tests may queue as many statements as they like, however slow the machine is.
 */
export const openPool = (url: string, poolSize: number): Orm =>
  createOrm({ url, poolSize, ...patient, validateRows: true, warn: () => undefined });

/** What tests get for a database. */
export function describeDatabase(url: string, orm: Orm, close = () => orm.close()): TestDatabase {
  const em = () => orm.em.fork();
  return { url, orm, em, sql: (text, parameters) => sql(em(), text, parameters), close };
}

/** A database per test file, or per `describe` around the call. */
export function useTestDatabase(poolSize?: number): TestDatabase {
  const database = fileFixture(
    () => createTestDatabase(poolSize),
    ({ close }) => close(),
  );
  return {
    get url() {
      return database.url;
    },
    get orm() {
      return database.orm;
    },
    em: () => database.em(),
    sql: (text, parameters) => database.sql(text, parameters),
    close: () => database.close(),
  };
}
