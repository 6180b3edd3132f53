import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/setup/database.ts';
import { createOrm } from './orm.ts';

describe('the connections of the pool', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  it('follow the settings in the URL, as sslmode has to be', async () => {
    const url = `${database.url}?options=${encodeURIComponent('-c statement_timeout=4321')}`;
    const orm = createOrm({ url, poolSize: 2, warn: () => undefined });
    const [row] = await orm.em.fork().execute<{ statement_timeout: string }[]>('show statement_timeout');
    await orm.close();
    expect(row?.statement_timeout).toBe('4321ms');
  });
});
