import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type ClickHouse, connectClickHouse } from '../../analytics/clickhouse.ts';
import { migrateClickHouse } from '../../analytics/migrate.ts';
import { fileFixture } from './fixtures.ts';

/** Of the ClickHouse of the test run. */
export const clickhousePassword = 'test';

export interface TestClickHouse {
  /** For a product. */
  environment: Record<string, string>;
  connect(): ClickHouse;
  drop(): Promise<void>;
}

/** A database of its own, which does not exist yet, in the ClickHouse of the test run. */
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

/** Such a database, migrated, which is dropped when it is closed. */
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

/** One for the test file, or for the `describe` around the call. */
export const useTestClickHouse = (): ClickHouse => fileFixture(openTestClickHouse, ({ close }) => close());
