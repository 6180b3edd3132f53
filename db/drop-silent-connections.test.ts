import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { testFixture } from '../test/setup/fixtures.ts';
import { startTcpRelay, type TcpRelay } from '../test/setup/tcp-relay.ts';
import { isNoAnswer } from './drop-silent-connections.ts';
import { createOrm, type Orm } from './orm.ts';
import { preparedSql, sql } from './testing/sql.ts';

const database = useTestDatabase();
const stage = testFixture(
  async () => {
    const url = new URL(database.url);
    const line = await startTcpRelay([Number(url.port)]);
    url.host = `127.0.0.1:${line.port}`;
    const waits = { silenceMs: 200, connectionTimeoutMs: 2_000 };
    // One connection in the pool of prepared statements.
    return {
      line,
      url: url.href,
      orm: createOrm({ url: url.href, poolSize: 4, ...waits, warn: () => undefined }),
    };
  },
  async ({ line, orm }: { line: TcpRelay; orm: Orm }) => {
    await orm.close();
    await line.close();
  },
);

const hot = (text: string) => preparedSql(stage.orm.em.fork(), text, text, []);
const ask = (text: string) => sql(stage.orm.em.fork(), text);
/** A transaction that runs something between its first and last statement. */
const begin = (between: (pid: number) => unknown) =>
  stage.orm.em.fork().transactional(async (em) => {
    const [own] = await sql<{ pid: number }>(em, 'select pg_backend_pid() as pid');
    await between(own?.pid ?? 0);
    return sql(em, 'select 1 as one');
  });
const expectAllWork = async () => {
  // More often than the pool has connections.
  for (let n = 0; n < 5; n += 1) expect(await begin(() => undefined)).toEqual([{ one: 1 }]);
  expect(await hot('select 1 as one')).toEqual([{ one: 1 }]);
};
const lost = /Connection terminated/;

it('an unanswered connection attempt is given up before the statements that wait for it', async () => {
  stage.line.fallSilent();
  const waits = { connectMs: 100, connectionTimeoutMs: 3_600_000 };
  const orm = createOrm({ url: stage.url, poolSize: 4, ...waits, warn: () => undefined });
  const asked = [0, 1, 2, 3].map(() => sql(orm.em.fork(), 'select 1 as one'));
  for (const one of asked) await expect(one).rejects.toThrow('timeout expired');
  await expect(preparedSql(orm.em.fork(), 'one', 'select 1 as one', [])).rejects.toThrow('timeout expired');
  await orm.close();
});

it.each([
  ['a name that no longer exists', { syscall: 'getaddrinfo', code: 'ENOTFOUND' }, true],
  ['a name server that does not answer', { syscall: 'getaddrinfo', code: 'EAI_AGAIN' }, false],
  ['a host that does not answer', { syscall: 'connect', code: 'ETIMEDOUT' }, true],
])('tells apart: %s', (_, properties, expected) => {
  expect(isNoAnswer(Object.assign(new Error('away'), properties))).toBe(expected);
});

describe('silent connections', () => {
  it('are dropped when their host has vanished, and replaced when it is back', async () => {
    await expectAllWork();
    const silent = begin(() => stage.line.fallSilent());
    await Promise.all([
      expect(silent).rejects.toThrow(lost),
      expect(silent.catch(() => hot('select 1 as one'))).rejects.toThrow(),
    ]);
    stage.line.restore();
    await expectAllWork();
  });

  it('take idle connections along, each of which would otherwise hang in its turn', async () => {
    await Promise.all([begin(() => ask('select 1')), ask('select pg_sleep(0.2)')]);
    const silent = begin(() => stage.line.fallSilent());
    await expect(silent).rejects.toThrow(lost);
    stage.line.restore();
    await expectAllWork();
  });

  it('take connections of the other pool along', async () => {
    expect(await hot('select 1 as one')).toEqual([{ one: 1 }]);
    const silent = begin(() => stage.line.fallSilent());
    await expect(silent).rejects.toThrow(lost);
    stage.line.restore();
    expect(await hot('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('are dropped when another host has taken over that does not run their statements', async () => {
    const before = Promise.withResolvers<number>();
    const silent = begin((pid) => {
      stage.line.fallSilent();
      before.resolve(pid);
    });
    await database.sql('select pg_terminate_backend($1)', [await before.promise]);
    stage.line.restore();
    await expect(silent).rejects.toThrow(lost);
    await expectAllWork();
  });

  it('are dropped when their hot statement got lost on the way', async () => {
    expect(await hot('select 1 as one')).toEqual([{ one: 1 }]);
    stage.line.fallSilent();
    const silent = hot('select 1 as one');
    stage.line.restore();
    await expect(silent).rejects.toThrow(lost);
    await expectAllWork();
  });

  it('stay while Postgres runs their statements', async () => {
    const slow = 'select pg_sleep(1.5), 1 as one';
    const answers = await Promise.all([hot(slow), ask(slow), begin(() => ask(slow))]);
    expect(answers).toMatchObject([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
  });
});
