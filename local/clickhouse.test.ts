import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startClickHouse } from './clickhouse.ts';
import { processStartTime } from './process-identity.ts';
import { freePort } from './testing/free-port.ts';
import { type OwnClickHouse, startOwnClickHouse } from './testing/own-clickhouse.ts';
import { processesWith, startTestProcess, until } from './testing/processes.ts';

const root = await mkdtemp(join(tmpdir(), 'posthaste-clickhouse-'));
afterAll(() => rm(root, { recursive: true, force: true }));

async function start(folder: string): Promise<OwnClickHouse> {
  const server = await startOwnClickHouse(join(root, folder));
  onTestFinished(() => server.stop());
  return server;
}

interface Answer {
  status: number;
  code: string | null;
  body: string;
}

async function ask({ url }: { url: string }, statement: string, search = '', init: RequestInit = {}) {
  const answer = await fetch(`${url}/${search}`, { method: 'POST', body: statement, ...init });
  const code = answer.headers.get('X-ClickHouse-Exception-Code');
  return { status: answer.status, code, body: (await answer.text()).trimEnd() } satisfies Answer;
}

const done = { status: 200, code: null, body: '' };

/** Its rows: 1, 2 and 3. */
async function makeTable(server: OwnClickHouse): Promise<void> {
  for (const statement of [
    'CREATE DATABASE shop',
    'CREATE TABLE shop.pair (id UInt32) ENGINE = MergeTree ORDER BY id',
    'INSERT INTO shop.pair VALUES (1), (2)',
  ]) {
    expect(await ask(server, statement)).toEqual(done);
  }
  const insert = `?database=shop&query=${encodeURIComponent('INSERT INTO pair FORMAT TabSeparated')}`;
  expect(await ask(server, '3\n', insert)).toEqual(done);
}

const countRows = async (server: OwnClickHouse) =>
  (await ask(server, 'SELECT count() FROM pair', '?database=shop')).body;

/** A row that statements wait for until it is opened; so they run as long as the test wants. */
async function makeGate() {
  const opened = Promise.withResolvers<void>();
  const server = createServer((_, answer) => void opened.promise.then(() => answer.end('1\n')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return { row: `url('http://127.0.0.1:${port}/', TSV, 'id UInt32')`, open: opened.resolve };
}

/** Waits until so many statements run. */
const running = (server: OwnClickHouse, statements: number) =>
  until(async () => {
    // This one runs too.
    const { body } = await ask(server, 'SELECT count() - 1 FROM system.processes');
    return Number(body) >= statements;
  });

describe('ClickHouse of npm start', () => {
  it('answers what runs and keeps its rows when it is stopped', async () => {
    const server = await start('stopped');
    await makeTable(server);
    const gate = await makeGate();
    const read = ask(server, `SELECT id FROM ${gate.row}`);
    const insert = ask(server, `INSERT INTO shop.pair SELECT id + 10 FROM ${gate.row}`);
    await running(server, 2);
    const stopped = server.stop();
    const isClosed = () =>
      fetch(`${server.url}/ping`).then(
        () => false,
        () => true,
      );
    await until(isClosed);
    gate.open();
    expect(await read).toEqual({ ...done, body: '1' });
    expect(await insert).toEqual(done);
    await stopped;
    expect(await server.exited).toMatchObject({ code: 0, signal: null });
    expect(processesWith(join(root, 'stopped'))).toEqual([]);
    expect(await countRows(await start('stopped'))).toBe('4');
  });

  it('keeps what it had confirmed when it is killed', async () => {
    const server = await start('killed');
    await makeTable(server);
    await server.kill();
    const again = await startOwnClickHouse(join(root, 'killed'), server.port);
    onTestFinished(() => again.stop());
    expect(await countRows(again)).toBe('3');
  });

  it('ends with the process that started it, also when that is killed', async () => {
    const script = fileURLToPath(new URL('./testing/hold-clickhouse.ts', import.meta.url));
    const args = [script, join(root, 'held'), String(await freePort())];
    const holder = startTestProcess(process.execPath, args, { env: process.env });
    const pid = Number((await holder.waitFor(/clickhouse (\d+)/))[1]);
    expect(processStartTime(pid)).toBeDefined();
    holder.child.kill('SIGKILL');
    await holder.exit;
    await until(() => processStartTime(pid) === undefined);
  });

  it('says that another process has its folder', async () => {
    await start('shared');
    const child = spawn(process.execPath, [fileURLToPath(new URL('./clickhouse/main.ts', import.meta.url))], {
      env: { CLICKHOUSE_DIRECTORY: join(root, 'shared'), CLICKHOUSE_PORT: String(await freePort()) },
    });
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect(code).toBe(1);
    expect(said).toContain(`${join(root, 'shared')} can't be opened`);
  });

  it('lets in only who knows the password', async () => {
    const directory = join(root, 'locked');
    const port = await freePort();
    const server = await startClickHouse({ directory, port, password: 'secret', log: () => undefined });
    onTestFinished(() => server.stop());
    const basic = (credentials: string) => ({
      headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    });
    const fields = (key: string) => ({
      headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': key },
    });
    for (const known of [basic('default:secret'), fields('secret')]) {
      expect(await ask(server, 'SELECT 1', '', known)).toEqual({ ...done, body: '1' });
    }
    for (const stranger of [{}, basic('default:'), basic('other:secret'), fields('secret2')]) {
      expect(await ask(server, 'SELECT 1', '', stranger)).toMatchObject({ status: 403, code: '516' });
    }
    expect(await (await fetch(`${server.url}/ping`)).text()).toBe('Ok.\n');
  });
});

describe('a statement', () => {
  it('can not change what others of its connection see', async () => {
    const server = await start('settings');
    for (const refused of [
      await ask(server, 'SELECT 1', '?max_threads=1'),
      await ask(server, 'SET max_threads = 1'),
      await ask(server, '-- all\n USE system'),
    ]) {
      expect(refused).toMatchObject({ status: 500, code: '48' });
    }
    const changed = `SELECT count() FROM system.settings WHERE name = 'max_threads' AND value = '77'`;
    const asked = Array.from({ length: 12 }, async (_, n) => {
      if (n % 2 === 0) await ask(server, 'SELECT 1 SETTINGS max_threads = 77');
      return (await ask(server, changed, n % 3 === 0 ? '?database=system' : '')).body;
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['0']));
    expect((await ask(server, 'SELECT currentDatabase()', '?database=system')).body).toBe('system');
    expect((await ask(server, 'SELECT currentDatabase()')).body).toBe('default');
    expect(await ask(server, 'SELECT 1', '?database=nowhere')).toMatchObject({ code: '81' });
    expect(await ask(server, 'SELECT 1', '?database=a%60b')).toMatchObject({ code: '81' });
  });

  it('that reads does not wait for those that write, and parameters make none wait', async () => {
    const server = await start('lanes');
    const ended: string[] = [];
    const note = async (name: string, answer: Promise<Answer>) => {
      expect(await answer).toMatchObject({ status: 200 });
      ended.push(name);
    };
    const gate = await makeGate();
    const slowRead = `SELECT id + {n:UInt8} FROM ${gate.row}`;
    const write = `INSERT INTO FUNCTION null($$x UInt8$$) ${slowRead}`;
    const writes = [1, 2, 3, 4, 5].map(() => note('write', ask(server, write, '?param_n=3')));
    const reads = [1, 2].map(() => note('slow read', ask(server, slowRead, '?param_n=3')));
    await running(server, 6);
    await note('read', ask(server, 'SELECT {n:UInt8}', '?param_n=3'));
    expect(ended).toEqual(['read']);
    gate.open();
    await Promise.all([...writes, ...reads]);
  });

  it('of a client that is gone leaves its connection to others', async () => {
    const server = await start('gone');
    await makeTable(server);
    for (let n = 0; n < 8; n += 1) {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      const body = n % 2 === 0 ? 'SELECT sleep(1)' : 'INSERT INTO shop.pair SELECT sleep(1)';
      // The second half does not even get to the end of its request.
      const length = n < 4 ? body.length : body.length + 10;
      await new Promise<void>((resolve) =>
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`, () =>
          resolve(),
        ),
      );
      socket.destroy();
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(server, 'SELECT 1')));
    expect(answers).toEqual(answers.map(() => ({ ...done, body: '1' })));
    expect(await ask(server, 'INSERT INTO shop.pair VALUES (9)')).toEqual(done);
  });

  it('that would need more memory than there may be is refused, and the next one is not', async () => {
    const directory = join(root, 'memory');
    const port = await freePort();
    const options = { directory, port, password: '', memoryLimitBytes: 700_000_000, log: () => undefined };
    const server = await startClickHouse(options);
    onTestFinished(() => server.stop());
    const large = 'SELECT length(groupArray(randomPrintableASCII(100))) FROM numbers(20000000)';
    expect(await ask(server, large)).toMatchObject({ status: 500, code: '241' });
    expect(await ask(server, 'SELECT 1')).toEqual({ ...done, body: '1' });
  });
});
