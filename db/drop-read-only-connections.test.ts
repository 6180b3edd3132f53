import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { testFixture } from '../test/setup/fixtures.ts';
import { createOrm } from './orm.ts';
import { preparedSql, sql } from './testing/sql.ts';

const database = useTestDatabase();
/** Connections that are opened while the database is read-only, as those to a standby are. */
const stage = testFixture(
  async () => {
    await database.sql('create table if not exists notes (id uuid)');
    const set = (value: 'on' | 'off') =>
      database.sql(`do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}',
        current_database()); end $$`);
    await set('on');
    const orm = createOrm({ url: database.url, poolSize: 4, warn: () => undefined });
    await Promise.all([1, 2, 3].map(() => sql(orm.em.fork(), 'select pg_sleep(0.2)')));
    await preparedSql(orm.em.fork(), 'one', 'select 1', []);
    await set('off');
    return { orm };
  },
  ({ orm }) => orm.close(),
);

const note = 'insert into notes values (uuidv7())';
const refused = /read-only transaction/;

it('connections that accept no writes are replaced, each after the first that it refuses', async () => {
  for (let connection = 1; connection <= 3; connection += 1) {
    await expect(sql(stage.orm.em.fork(), note)).rejects.toThrow(refused);
  }
  await sql(stage.orm.em.fork(), note);
});

it('also after a transaction, and those of prepared statements', async () => {
  const inTransaction = () => stage.orm.em.fork().transactional((em) => sql(em, note));
  for (let connection = 1; connection <= 3; connection += 1) {
    await expect(inTransaction()).rejects.toThrow(refused);
  }
  await inTransaction();
  await expect(preparedSql(stage.orm.em.fork(), 'note', note, [])).rejects.toThrow(refused);
  await preparedSql(stage.orm.em.fork(), 'note', note, []);
});
