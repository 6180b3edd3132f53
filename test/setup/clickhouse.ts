import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type ClickHouse, connectClickHouse } from '../../analytics/clickhouse.ts';
import { migrateClickHouse } from '../../analytics/migrate.ts';
import { fileFixture } from './fixtures.ts';

/** Password of the test run's ClickHouse. */
export const clickhousePassword = 'test';

export interface TestClickHouse {
  /** Environment variables for a product. */
  environment: Record<string, string>;
  connect(): ClickHouse;
  drop(): Promise<void>;
}

/** A new database in the test run's ClickHouse; it does not exist yet. */
export function nameTestClickHouse(): TestClickHouse {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  const url = inject('clickhouseUrl');
  const connect = () =>
    connectClickHouse({ url, username: 'default', password: clickhousePassword, database });
  return {
    environment: {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_PASSWORD: clickhousePassword,
      CLICKHOUSE_DATABASE: database,
    },
    connect,
    async drop() {
      const clickhouse = connect();
      await clickhouse.createDatabase();
      await clickhouse.command(`DROP DATABASE ${database} SYNC`);
      await clickhouse.close();
    },
  };
}

/** Creates and migrates such a database; closing drops it. */
export async function openTestClickHouse(): Promise<ClickHouse> {
  const { connect, drop } = nameTestClickHouse();
  const clickhouse = connect();
  await migrateClickHouse(clickhouse);
  return {
    ...clickhouse,
    async close() {
      await clickhouse.close();
      await drop();
    },
  };
}

/** One per test file, or per `describe` around the call. */
export const useTestClickHouse = (): ClickHouse => fileFixture(openTestClickHouse, ({ close }) => close());
