import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../providers/testing/http-server.ts';
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

/** Creates a table with the rows 1, 2 and 3. */
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

/** A file that statements read and that arrives once it is released; until then they run. */
async function startSlowFile() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const file = await startHttpServer(
    (_request, response) => void released.then(() => response.end('1\n2\n')),
  );
  onTestFinished(async () => {
    release();
    await file.close();
  });
  return {
    release,
    /** The receive timeout is longer than any test. */
    rowsOf: (reader: string) =>
      `FROM url($$${file.url}/${reader}$$, $$TabSeparated$$, $$x UInt8$$) SETTINGS http_receive_timeout = 600`,
    readers: () => new Set(file.requests.map(({ path }) => path)).size,
  };
}

describe('ClickHouse of npm start', () => {
  it('completes running statements and keeps its rows when it is stopped', async () => {
    const server = await start('stopped');
    await makeTable(server);
    const file = await startSlowFile();
    const slow = ask(server, `SELECT max(x) ${file.rowsOf('slow')}`);
    const insert = ask(server, `INSERT INTO shop.pair SELECT x ${file.rowsOf('insert')}`);
    await until(() => file.readers() === 2);
    process.kill(server.pid, 'SIGTERM');
    await until(() =>
      fetch(`${server.url}/ping`).then(
        () => false,
        () => true,
      ),
    );
    file.release();
    expect(await slow).toEqual({ ...done, body: '2' });
    expect(await insert).toEqual(done);
    expect(await server.exited).toMatchObject({ code: 0, signal: null });
    expect(processesWith(join(root, 'stopped'))).toEqual([]);
    expect(await countRows(await start('stopped'))).toBe('5');
  });

  it('keeps confirmed rows when it is killed', async () => {
    const server = await start('killed');
    await makeTable(server);
    await server.kill();
    const again = await startOwnClickHouse(join(root, 'killed'), server.port);
    onTestFinished(() => again.stop());
    expect(await countRows(again)).toBe('3');
  });

  it('ends with the process that started it, even when that is killed', async () => {
    const script = fileURLToPath(new URL('./testing/hold-service.ts', import.meta.url));
    const args = [script, 'clickhouse', join(root, 'held'), String(await freePort())];
    const holder = startTestProcess(process.execPath, args, { env: process.env });
    const pid = Number((await holder.waitFor(/clickhouse (\d+)/))[1]);
    expect(processStartTime(pid)).toBeDefined();
    holder.child.kill('SIGKILL');
    await holder.exit;
    await until(() => processStartTime(pid) === undefined);
  });

  it('reports that another process has its folder open', async () => {
    await start('shared');
    const child = spawn(process.execPath, [fileURLToPath(new URL('./clickhouse/main.ts', import.meta.url))], {
      env: { CLICKHOUSE_DIRECTORY: join(root, 'shared'), CLICKHOUSE_PORT: String(await freePort()) },
    });
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect(code).toBe(1);
    expect(said).toContain(`${join(root, 'shared')} can't be opened`);
  });

  it('admits only clients with the password', async () => {
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
  it('cannot change what other statements on its connection see', async () => {
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

  it('that reads does not wait for writing ones, and parameters make none wait', async () => {
    const server = await start('lanes');
    const ended: string[] = [];
    const note = async (name: string, answer: Promise<Answer>) => {
      expect(await answer).toMatchObject({ status: 200 });
      ended.push(name);
    };
    const file = await startSlowFile();
    const write = (n: number) =>
      ask(
        server,
        `INSERT INTO FUNCTION null($$x UInt8$$) SELECT {n:UInt8} ${file.rowsOf(`write-${n}`)}`,
        `?param_n=${n}`,
      );
    const read = (n: number) => ask(server, `SELECT {n:UInt8} ${file.rowsOf(`read-${n}`)}`, `?param_n=${n}`);
    const writes = [1, 2, 3, 4].map((n) => note('write', write(n)));
    const reads = [1, 2].map((n) => note('slow read', read(n)));
    await until(() => file.readers() === 6);
    // Waits for a connection, for at most 20 seconds.
    const waiting = write(5);
    await note('read', ask(server, 'SELECT {n:UInt8}', '?param_n=3'));
    expect(ended).toEqual(['read']);
    file.release();
    await Promise.all([...writes, ...reads, waiting]);
  });

  it('of a disconnected client releases its connection', async () => {
    const server = await start('gone');
    await makeTable(server);
    for (let n = 0; n < 8; n += 1) {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      const body = n % 2 === 0 ? 'SELECT sleep(1)' : 'INSERT INTO shop.pair SELECT sleep(1)';
      // The second half of the clients do not even finish their request.
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

  it('that exceeds the memory limit is refused, and the next one is not', async () => {
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
