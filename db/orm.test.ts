import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { createOrm } from './orm.ts';
import { preparedSql, sql } from './testing/sql.ts';

describe('the connections of the pool', () => {
  const database = useTestDatabase();

  it('follow the settings in the URL, as sslmode has to be', async () => {
    const url = `${database.url}?options=${encodeURIComponent('-c statement_timeout=4321')}`;
    const orm = createOrm({ url, poolSize: 2, warn: () => undefined });
    const [row] = await orm.em.fork().execute<{ statement_timeout: string }[]>('show statement_timeout');
    await orm.close();
    expect(row?.statement_timeout).toBe('4321ms');
  });

  const show = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
  const settingsOf = async (url: string) => {
    const limits = { statementMs: 30_000, lockMs: 10_000 };
    const orm = createOrm({ url, poolSize: 6, limits, warn: () => undefined });
    const em = orm.em.fork();
    const rows = [await sql(em, show), await preparedSql(em, 'show_limits', show, [])];
    await orm.close();
    return rows.flat();
  };

  it('end statements and waits that take too long, in both pools', async () => {
    const limits = { statement: '30s', lock: '10s' };
    expect(await settingsOf(database.url)).toEqual([limits, limits]);
  });

  it('leave the limits that the operator has set', async () => {
    const url = `${database.url}?options=${encodeURIComponent('-c statement_timeout=4321')}`;
    const limits = { statement: '4321ms', lock: '10s' };
    expect(await settingsOf(url)).toEqual([limits, limits]);
  });

  it('end the transactions of a stalled process, and detect a vanished host', async () => {
    const limits = { statementMs: 30_000, lockMs: 10_000 };
    const orm = createOrm({ url: database.url, poolSize: 6, limits, warn: () => undefined });
    const own = `select name, setting from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'tcp_keepalives_idle') order by 1`;
    const settings = [
      { name: 'idle_in_transaction_session_timeout', setting: '120000' },
      { name: 'tcp_keepalives_idle', setting: '10' },
    ];
    const em = orm.em.fork();
    expect(await sql(em, own)).toEqual(settings);
    expect(await preparedSql(em, 'own_settings', own, [])).toEqual(settings);
    await orm.close();
  });

  it('that break within a transaction free their slot', async () => {
    const orm = createOrm({ url: database.url, poolSize: 2, warn: () => undefined });
    const breakOff = () =>
      orm.em.fork().transactional((em) => sql(em, 'select pg_terminate_backend(pg_backend_pid())'));
    // More often than the pool has connections.
    for (let n = 0; n < 8; n += 1) await expect(breakOff()).rejects.toThrow();
    expect(await sql(orm.em.fork(), 'select 1 as one')).toEqual([{ one: 1 }]);
    await orm.close();
  });
});
