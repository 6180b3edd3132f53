import { ClientRequest, type ServerResponse } from 'node:http';
import { queryObjects } from 'node:v8';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { nameTestClickHouse } from '../test/setup/clickhouse.ts';
import { connectClickHouse, withoutClickHouse } from './clickhouse.ts';
import { ClickHouseRefused, ClickHouseUnavailable } from './client/errors.ts';
import { countColumn, type Question } from './client/question.ts';

const echo: Question<{ text: string; list: readonly string[] }, { text: string; list: string[] }> = {
  name: "echo 'quoted'",
  sql: 'SELECT {text:String} AS text, {list:Array(String)} AS list',
  row: z.object({ text: z.string(), list: z.array(z.string()) }),
};

const sessionSettings: Question<Record<string, never>, { name: string; value: string }> = {
  name: 'session-settings',
  sql: `SELECT name, value FROM system.settings
    WHERE name IN ('log_comment', 'max_execution_time', 'async_insert', 'date_time_output_format') ORDER BY name`,
  row: z.object({ name: z.string(), value: z.string() }),
};

const endless: Question<Record<string, never>, unknown> = {
  name: 'endless',
  sql: 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1',
  row: z.unknown(),
  timeoutMs: 1000,
};

const numbers: Question<{ n: number }, { n: number }> = {
  name: 'numbers',
  sql: 'SELECT sum(number) AS n FROM numbers({n:UInt32})',
  row: z.object({ n: countColumn }),
};

const pairs: Question<Record<string, never>, { id: number; text: string }> = {
  name: 'pairs',
  sql: 'SELECT id, text FROM pair ORDER BY id',
  row: z.object({ id: countColumn, text: z.string() }),
};
const pairTable = { table: 'pair', columns: ['id', 'text'] };

const { connect, drop } = nameTestClickHouse();
const store = connect();
afterAll(async () => {
  await store.close();
  await drop();
});

function trickle(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

describe('ClickHouse', () => {
  it('creates its database, again and again', async () => {
    await store.createDatabase();
    await store.createDatabase();
    await store.command('CREATE TABLE pair (id UInt32, text String) ENGINE = MergeTree ORDER BY id');
  });

  it('answers', async () => {
    expect(await store.ping()).toBe(true);
  });

  it('keeps nothing of a question that is answered', async () => {
    const countRequests = () => queryObjects(ClientRequest, { format: 'count' });
    const before = countRequests();
    for (let n = 0; n < 20; n += 1) await store.query(numbers, { n });
    expect(countRequests() - before).toBeLessThan(5);
  });

  it('binds parameters, whatever they contain', async () => {
    const texts = [
      `a'b"c\\d`,
      'tab\tline\nreturn\r',
      "') OR 1=1 --",
      '{text:String}',
      '😀 é',
      '',
      '\\N',
      '[x]y',
    ];
    for (const text of texts) {
      expect(await store.query(echo, { text, list: texts })).toEqual([{ text, list: texts }]);
    }
    expect(await store.query(echo, { text: '', list: [] })).toEqual([{ text: '', list: [] }]);
  });

  it('stores lines when an insert returns', async () => {
    await store.insert(pairTable, '');
    await store.insert(pairTable, '1\ta\\tb \n2\t ;');
    expect(await store.query(pairs, {})).toEqual([
      { id: 1, text: 'a\tb ' },
      { id: 2, text: ' ;' },
    ]);
  });

  it('leaves no settings of queries or inserts behind in the session', async () => {
    const everyConnection = () =>
      Promise.all(Array.from({ length: 8 }, () => store.query(sessionSettings, {})));
    const before = await everyConnection();
    await store.query(endless, {}).catch(() => undefined);
    await store.insert(pairTable, '3\tc');
    await store.command(`CREATE TABLE IF NOT EXISTS leaked ENGINE = Memory AS
      SELECT name, value FROM system.settings WHERE changed`);
    expect(await everyConnection()).toEqual(before);
    // Without SETTINGS, a session has the settings of the writer, which made the table.
    const leaked: Question<Record<string, never>, { name: string }> = {
      name: 'leaked',
      sql: `SELECT name FROM leaked
        WHERE name IN ('log_comment', 'async_insert', 'insert_deduplicate', 'max_execution_time')`,
      row: z.object({ name: z.string() }),
    };
    expect(await store.query(leaked, {})).toEqual([]);
  });

  it('gives every caller its own answer when many ask at once', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => n);
    const answers = await Promise.all(
      asked.map(async (n) => {
        if (n % 3 === 0) await store.insert(pairTable, `${100 + n}\tx`);
        return store.query(numbers, { n });
      }),
    );
    expect(answers).toEqual(asked.map((n) => [{ n: (n * Math.max(0, n - 1)) / 2 }]));
  });

  it('distinguishes an outage from a refusal', async () => {
    await expect(store.query(endless, {})).rejects.toThrow(ClickHouseUnavailable);
    await expect(store.insert(pairTable, 'x\ty')).rejects.toThrow(ClickHouseRefused);
    const missing = { ...pairs, sql: 'SELECT * FROM nowhere' };
    await expect(store.query(missing, {})).rejects.toThrow(ClickHouseUnavailable);
    const wrong = { ...pairs, sql: 'SELECT no_column FROM pair' };
    await expect(store.query(wrong, {})).rejects.toMatchObject({
      name: 'ClickHouseRefused',
      code: '47',
    });
  });

  it("rejects rows that do not match the question's schema", async () => {
    const wrong = { ...pairs, row: z.object({ id: z.number(), text: z.number() }) };
    await expect(store.query(wrong, {})).rejects.toThrow(z.ZodError);
  });
});

describe('a ClickHouse that does not answer, or whose answer does not end', () => {
  it.each([
    ['silence', () => undefined],
    ['trickle', trickle],
  ])('is unavailable after its time limit: %s', async (_, answer) => {
    const server = await startHttpServer((_request, response) => answer(response));
    const away = connectClickHouse({
      url: server.url,
      username: 'default',
      password: '',
      database: 'shop',
      requestTimeoutMs: 100,
    });
    const calls = await Promise.allSettled([
      away.query({ ...numbers, timeoutMs: 100 }, { n: 1 }),
      away.insert(pairTable, '1\ta'),
      away.command('SELECT 1'),
      away.createDatabase(),
    ]);
    for (const call of calls) {
      const reason = {
        name: 'ClickHouseUnavailable',
        message: expect.stringContaining('did not answer within'),
      };
      expect(call).toMatchObject({ status: 'rejected', reason });
    }
    await expect.poll(() => server.openConnections).toBe(0);
    await away.close();
    await server.close();
  });

  it('does not keep a process from ending', async () => {
    const server = await startHttpServer(() => undefined);
    const away = connectClickHouse({ url: server.url, username: 'default', password: '', database: 'shop' });
    const calls = Promise.allSettled([away.command('SELECT 1'), away.createDatabase()]);
    await expect.poll(() => server.openConnections).toBe(2);
    await away.close();
    const reason = { name: 'ClickHouseUnavailable', message: expect.stringContaining('aborted') };
    expect(await calls).toMatchObject(Array(2).fill({ status: 'rejected', reason }));
    await server.close();
  });

  it('is unavailable to a table with its own time limit after that', async () => {
    const server = await startHttpServer(() => undefined);
    const away = connectClickHouse({ url: server.url, username: 'default', password: '', database: 'shop' });
    const insert = away.insert({ ...pairTable, timeoutMs: 100 }, '1\ta');
    await expect(insert).rejects.toThrow('did not answer within 0.1 seconds');
    await away.close();
    await server.close();
  });
});

describe('a ClickHouse that cannot work for now', () => {
  it.each([
    ['its disk is full', 75],
    ['its quota is used up', 201],
    ['its Keeper is away', 225],
    ['it does not know whether the rows are stored', 319],
    ['its deletion is unfinished', 341],
    ['its object store fails', 499],
  ])('is unavailable: %s', async (_, code) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) });
      response.end(`Code: ${code}. DB::Exception: Not now. (SOME_ERROR) (version 26.7.1.1)\n`);
    });
    const away = connectClickHouse({ url: server.url, username: 'default', password: '', database: 'shop' });
    await expect(away.query(numbers, { n: 1 })).rejects.toThrow(ClickHouseUnavailable);
    await expect(away.insert(pairTable, '1\ta')).rejects.toThrow(ClickHouseUnavailable);
    await away.close();
    await server.close();
  });
});

describe('a ClickHouse that is down', () => {
  it('is unavailable and fails the ping', async () => {
    const away = connectClickHouse({
      url: 'http://127.0.0.1:9',
      username: 'default',
      password: '',
      database: 'shop',
    });
    expect(await away.ping()).toBe(false);
    await expect(away.query(numbers, { n: 1 })).rejects.toThrow(ClickHouseUnavailable);
    await expect(away.insert(pairTable, '1\ta')).rejects.toThrow(ClickHouseUnavailable);
    await expect(away.createDatabase()).rejects.toThrow(ClickHouseUnavailable);
    await away.close();
  });

  it('is unavailable when none is configured', async () => {
    expect(await withoutClickHouse().ping()).toBe(false);
    await expect(withoutClickHouse().query(numbers, { n: 1 })).rejects.toThrow(ClickHouseUnavailable);
  });

  it('refuses a database name that is not an identifier', () => {
    const options = { url: 'http://127.0.0.1:9', username: 'default', password: '', database: 'a; DROP' };
    expect(() => connectClickHouse(options)).toThrow('Invalid database name');
  });
});
