import { readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalStackError } from './failure.ts';
import { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { processesWorkingIn, processStartTime } from './process-identity.ts';
import { freePort } from './testing/free-port.ts';
import { processesWith, startTestProcess, until } from './testing/processes.ts';

const holderScript = fileURLToPath(new URL('./testing/hold-service.ts', import.meta.url));
let root: string;
let directory: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-postgres-'));
  await chmod(root, 0o711);
  directory = join(root, 'data', 'postgres');
});
afterAll(() => rm(root, { recursive: true }));

async function start(options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const port = await freePort();
  return startPostgres({ directory, port, password: 'secret', log: () => undefined, ...options });
}

/** Empty for a zombie and for a process that has ended since it was found. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function withPostgres<T>(
  options: Partial<PostgresOptions>,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const postgres = await start(options);
  try {
    return await use(postgres.url);
  } finally {
    await postgres.stop();
  }
}

describe('the embedded Postgres', () => {
  it('comes up with its database, durable, and keeps the data over a restart', async () => {
    const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('server_version_num')::int / 10000 as version, current_database() as database`;
    await withPostgres({}, async (url) => {
      expect(await query(url, settings)).toEqual([
        { fsync: 'on', commit: 'on', version: 18, database: 'posthaste' },
      ]);
      await query(url, 'create table kept (n int); insert into kept values (1)');
    });
    await withPostgres({}, async (url) => expect(await query(url, 'select n from kept')).toEqual([{ n: 1 }]));
  });

  it('sorts text by code point whatever the machine', async () => {
    await withPostgres({}, async (url) => {
      const rows = await query(url, "select x from unnest(array['b', 'ä', 'Z', 'a']) x order by x");
      expect(rows).toEqual([{ x: 'Z' }, { x: 'a' }, { x: 'b' }, { x: 'ä' }]);
    });
  });

  it('leaves no process and ends immediately even with connected clients', async () => {
    const postgres = await start();
    const client = new pg.Client({ connectionString: postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    await postgres.stop();
    expect(await postgres.exited).toMatchObject({ code: 0, requested: true });
    expect(processesWorkingIn(directory)).toEqual([]);
    expect(processesWith(directory)).toEqual([]);
  });

  it('is created in a process that has nothing else to do', async () => {
    const folder = join(root, 'alone', 'postgres');
    const holder = startTestProcess(process.execPath, [
      holderScript,
      'postgres',
      folder,
      String(await freePort()),
    ]);
    await holder.waitFor(/postgres (\d+)/);
    holder.child.kill('SIGKILL');
    await holder.exit;
    await until(() => processesWorkingIn(folder).length === 0);
  });

  it('accepts other settings', async () => {
    const settings = { fsync: 'off', max_connections: '7' };
    await withPostgres({ settings }, async (url) => {
      const text = "select current_setting('fsync') as fsync, current_setting('max_connections') as most";
      expect(await query(url, text)).toEqual([{ fsync: 'off', most: '7' }]);
    });
  });
});

describe('after everything was killed', () => {
  async function killedWhileWriting(killWatcher: boolean): Promise<number> {
    const port = String(await freePort());
    const holder = startTestProcess(process.execPath, [holderScript, 'postgres', directory, port]);
    const postmaster = Number((await holder.waitFor(/postgres (\d+)/))[1]);
    const url = `postgres://posthaste:secret@127.0.0.1:${port}/posthaste`;
    await query(url, 'create table if not exists survived (n int); insert into survived values (1)');
    const watchers = processesWith(`posthaste-watcher\0${postmaster}\0`);
    expect(watchers).toHaveLength(1);
    if (killWatcher) for (const pid of watchers) process.kill(pid, 'SIGKILL');
    holder.child.kill('SIGKILL');
    await holder.exit;
    return postmaster;
  }

  const survivors = (url: string) => query(url, 'select count(*)::int as n from survived');

  it('a start finds the old server still stopping', async () => {
    await killedWhileWriting(false);
    await withPostgres({}, async (url) => expect(await survivors(url)).toEqual([{ n: 1 }]));
  });

  it('a start ends the old server that is still running', async () => {
    const postmaster = await killedWhileWriting(true);
    expect(processStartTime(postmaster)).toBeDefined();
    const lines: string[] = [];
    await withPostgres({ log: (line) => lines.push(line) }, async (url) => {
      expect(processStartTime(postmaster)).toBeUndefined();
      expect(await survivors(url)).toEqual([{ n: 2 }]);
    });
    expect(lines.join('\n')).not.toContain('was not properly shut down');
  });

  it('a start recovers what was committed', async () => {
    const postmaster = await killedWhileWriting(true);
    process.kill(postmaster, 'SIGKILL');
    const lines: string[] = [];
    await withPostgres({ log: (line) => lines.push(line) }, async (url) => {
      expect(await survivors(url)).toEqual([{ n: 3 }]);
    });
    expect(lines.join('\n')).toContain('database system was not properly shut down');
  });

  it('a start does not mistake a process with the old id for the server', async () => {
    await writeFile(
      join(directory, 'postmaster.pid'),
      `${process.pid}\n${directory}\n1\n5433\n\n127.0.0.1\n`,
    );
    await withPostgres({}, async (url) => expect(await survivors(url)).toEqual([{ n: 3 }]));
  });

  it('a first start that was interrupted leaves nothing half done', async () => {
    const fresh = join(root, 'fresh');
    await mkdir(`${fresh}.new`);
    await writeFile(join(`${fresh}.new`, 'half'), '');
    await withPostgres({ directory: fresh }, async (url) => {
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    });
  });
});

describe('a start that cannot succeed says why', () => {
  const cases: [string, () => Promise<RunningPostgres>, RegExp][] = [
    [
      'with another password',
      () => start({ password: 'other' }),
      /has a different password than the secrets\.json/,
    ],
    ['on a folder of something else', () => start({ directory: root }), /holds files but no Postgres data/],
    [
      'with a wrong setting',
      () => start({ settings: { work_mem: 'lots' } }),
      /ended while it was starting: .*work_mem/,
    ],
  ];
  for (const [name, attempt, message] of cases) {
    it(name, async () => {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LocalStackError);
      expect(String(error)).toMatch(message);
      expect(processesWith(directory)).toEqual([]);
    });
  }

  it('on a port that is taken, rather than using whatever answers there', async () => {
    const first = await start();
    const attempt = start({ directory: join(root, 'second'), port: first.port });
    await expect(attempt).rejects.toThrow(`Port ${first.port} (POSTGRES_PORT) is taken`);
    await first.stop();
  });

  it('on data of another version', async () => {
    const old = join(root, 'old');
    await mkdir(old);
    await writeFile(join(old, 'PG_VERSION'), '16\n');
    await expect(start({ directory: old })).rejects.toThrow(
      /was written by Postgres 16 but this is Postgres 18/,
    );
  });
});

describe('gives up when its signal fires and leaves nothing running', () => {
  async function abortIn(program: string, target: string, options: Partial<PostgresOptions> = {}) {
    const abort = new AbortController();
    const running = () => processesWith(target).filter((pid) => commandLine(pid).includes(program));
    const starting = start({ directory: target, signal: abort.signal, ...options });
    const outcome = expect(starting).rejects.toThrow(/abort/i);
    await until(() => running().length > 0);
    abort.abort();
    await outcome;
    expect(processesWith(target).map(commandLine).filter(Boolean)).toEqual([]);
    expect(await readdir(dirname(target))).not.toContain('postgres.new');
  }

  it.for(['initdb', 'bin/postgres'])('while %s runs', async (program) => {
    await abortIn(program, join(root, `aborted-in-${program.replace('/', '-')}`, 'postgres'));
  });

  it('while a slow initdb runs that leaves children', async () => {
    const initdb = join(root, 'slow-initdb');
    const script = `#!/bin/bash\n(trap '' TERM; exec -a "child $1" sleep 60) &\ntrap 'sleep 0.5; exit 1' TERM\nwait\n`;
    await writeFile(initdb, script, { mode: 0o755 });
    const binaries = { ...(await findPostgresBinaries()), initdb };
    await abortIn('child', join(root, 'aborted-slowly', 'postgres'), { binaries });
  });
});

it('works with programs and data in a folder that only we may enter, even as root', async () => {
  const closed = join(root, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const { postgres } = await findPostgresBinaries();
  const native = join(closed, 'native');
  await cp(join(dirname(postgres), '..'), native, { recursive: true, verbatimSymlinks: true });
  const binaries = { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') };
  await withPostgres({ directory: join(closed, 'postgres'), binaries }, async (url) => {
    const [postmaster] = processesWorkingIn(join(closed, 'postgres'));
    const status = await readFile(`/proc/${postmaster}/status`, 'utf8');
    expect(status).not.toMatch(/^Uid:\s+0\b/m);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
