import { mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClickHouse, connectClickHouse, withoutClickHouse } from './clickhouse.ts';
import { ClickHouseRefused, ClickHouseUnavailable } from './client/errors.ts';
import { countColumn, type Question } from './client/question.ts';
import { type HttpFront, startHttpFront } from './testing/start-http-front.ts';

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

const root = mkdtempSync(join(tmpdir(), 'posthaste-clickhouse-'));
const stores = new Map<string, ClickHouse>();
let front: HttpFront;

beforeAll(async () => {
  front = await startHttpFront(join(root, 'front'));
  const server = { url: front.url, username: 'default', password: '', database: 'shop' };
  stores.set('server', await connectClickHouse(server));
  stores.set('embedded', await connectClickHouse({ embeddedPath: join(root, 'embedded'), database: 'shop' }));
});

afterAll(async () => {
  for (const store of stores.values()) await store.close();
  await front.kill();
  rmSync(root, { recursive: true, force: true });
});

function storeNamed(name: string): ClickHouse {
  const store = stores.get(name);
  if (store === undefined) throw new Error(`no store ${name}`);
  return store;
}

describe.each(['server', 'embedded'])('ClickHouse (%s)', (name) => {
  it('creates its database, again and again', async () => {
    await storeNamed(name).createDatabase();
    await storeNamed(name).createDatabase();
    await storeNamed(name).command(
      'CREATE TABLE pair (id UInt32, text String) ENGINE = MergeTree ORDER BY id',
    );
  });

  it('answers', async () => {
    expect(await storeNamed(name).ping()).toBe(true);
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
      expect(await storeNamed(name).query(echo, { text, list: texts })).toEqual([{ text, list: texts }]);
    }
    expect(await storeNamed(name).query(echo, { text: '', list: [] })).toEqual([{ text: '', list: [] }]);
  });

  it('stores lines when an insert returns', async () => {
    await storeNamed(name).insert(pairTable, '');
    await storeNamed(name).insert(pairTable, '1\ta\\tb \n2\t ;');
    expect(await storeNamed(name).query(pairs, {})).toEqual([
      { id: 1, text: 'a\tb ' },
      { id: 2, text: ' ;' },
    ]);
  });

  it('leaves no setting of a question or an insert behind in the session', async () => {
    const before = await storeNamed(name).query(sessionSettings, {});
    await storeNamed(name)
      .query(endless, {})
      .catch(() => undefined);
    await storeNamed(name).insert(pairTable, '3\tc');
    await storeNamed(name).command(`CREATE TABLE IF NOT EXISTS leaked ENGINE = Memory AS
      SELECT name, value FROM system.settings WHERE changed`);
    expect(await storeNamed(name).query(sessionSettings, {})).toEqual(before);
    // Without SETTINGS, a session has the settings of the writer, which made the table.
    const leaked: Question<Record<string, never>, { name: string }> = {
      name: 'leaked',
      sql: `SELECT name FROM leaked
        WHERE name IN ('log_comment', 'async_insert', 'insert_deduplicate', 'max_execution_time')`,
      row: z.object({ name: z.string() }),
    };
    expect(await storeNamed(name).query(leaked, {})).toEqual([]);
  });

  it('gives every caller its own answer when many ask at once', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => n);
    const answers = await Promise.all(
      asked.map(async (n) => {
        if (n % 3 === 0) await storeNamed(name).insert(pairTable, `${100 + n}\tx`);
        return storeNamed(name).query(numbers, { n });
      }),
    );
    expect(answers).toEqual(asked.map((n) => [{ n: (n * Math.max(0, n - 1)) / 2 }]));
  });

  it('tells an outage from a refusal', async () => {
    await expect(storeNamed(name).query(endless, {})).rejects.toThrow(ClickHouseUnavailable);
    await expect(storeNamed(name).insert(pairTable, 'x\ty')).rejects.toThrow(ClickHouseRefused);
    const missing = { ...pairs, sql: 'SELECT * FROM nowhere' };
    await expect(storeNamed(name).query(missing, {})).rejects.toThrow(ClickHouseUnavailable);
    const wrong = { ...pairs, sql: 'SELECT no_column FROM pair' };
    await expect(storeNamed(name).query(wrong, {})).rejects.toMatchObject({
      name: 'ClickHouseRefused',
      code: '47',
    });
  });

  it('refuses rows that are not as the question says', async () => {
    const wrong = { ...pairs, row: z.object({ id: z.number(), text: z.number() }) };
    await expect(storeNamed(name).query(wrong, {})).rejects.toThrow(z.ZodError);
  });
});

describe('the embedded ClickHouse', () => {
  it('leaves threads of the process to others while it works', async () => {
    const nap = { name: 'nap', sql: 'SELECT sleep(2) AS n', row: z.unknown() };
    const naps = Promise.all(Array.from({ length: 4 }, () => storeNamed('embedded').query(nap, {})));
    const startedAt = performance.now();
    await stat(root);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await naps;
  });
});

describe('a ClickHouse that is away', () => {
  it('is unavailable and does not ping', async () => {
    const away = await connectClickHouse({
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

  it('is unavailable where none is configured', async () => {
    expect(await withoutClickHouse().ping()).toBe(false);
    await expect(withoutClickHouse().query(numbers, { n: 1 })).rejects.toThrow(ClickHouseUnavailable);
  });

  it('refuses a database name that is no identifier', async () => {
    const options = { embeddedPath: join(root, 'other'), database: 'a; DROP' };
    await expect(connectClickHouse(options)).rejects.toThrow('Invalid database name');
  });
});
