import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../local/testing/free-port.ts';
import { unpackDebianPackages } from './debian-packages.ts';
import { eventually } from './eventually.ts';
import { isExecutable } from './promtool.ts';

const packages = fileURLToPath(new URL('../../.cache/pgbouncer', import.meta.url));
const unpacked = join(packages, 'usr/sbin/pgbouncer');

/**
 * Finds PgBouncer: `PGBOUNCER_PATH`, the PATH, the cache folder, or the package of Debian and Ubuntu.
 *
 * @throws Error that names the ways to get it
 */
async function findPgBouncer(): Promise<string> {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pgbouncer'));
  for (const path of [process.env.PGBOUNCER_PATH ?? '', ...onPath, unpacked]) {
    if (path !== '' && (await isExecutable(path))) return path;
  }
  try {
    await unpackDebianPackages(
      [['pgbouncer'], ['libevent-2.1-7t64', 'libevent-2.1-7'], ['libcares2', 'libc-ares2']],
      packages,
    );
    return unpacked;
  } catch (cause) {
    throw new Error(
      'PgBouncer is needed, and apt-get could not fetch it. Install it (`brew install pgbouncer`, or the package of your system), or set PGBOUNCER_PATH.',
      { cause },
    );
  }
}

export interface Pooler {
  /** URL of the same database through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Configured as docs/deployment.md says, but with fewer connections, so that sessions of the processes share them.
 *
 * @param keptPort reserved for a process that does not listen yet
 */
export async function startPgBouncer(
  databaseUrl: string,
  connections: number,
  keptPort: number,
): Promise<Pooler> {
  const binary = await findPgBouncer();
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
  let own = await freePort();
  while (own === keptPort) own = await freePort();
  const database = pathname.slice(1);
  const settings = [
    '[databases]',
    `${database} = host=${hostname} port=${port} dbname=${database} connect_query='set statement_timeout = 900000; set lock_timeout = 60000; set idle_in_transaction_session_timeout = 120000'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 500',
    'auth_type = plain',
    `auth_file = ${folder}/users`,
  ];
  await writeFile(join(folder, 'settings'), `${settings.join('\n')}\n`);
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(binary, [...user, join(folder, 'settings')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LD_LIBRARY_PATH: librariesOf(binary) },
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${own}`;
  await answers(child, url.href);
  return {
    url: url.href,
    async close() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGINT')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function librariesOf(binary: string): string | undefined {
  if (binary !== unpacked) return process.env.LD_LIBRARY_PATH;
  return ['x86_64', 'aarch64']
    .map((machine) => join(packages, `usr/lib/${machine}-linux-gnu`))
    .join(delimiter);
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  await eventually(
    async () => {
      if (failure !== undefined || child.exitCode !== null) {
        throw new Error(`PgBouncer ended while it was starting:\n${log}`, { cause: failure });
      }
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      return client.connect().then(
        () => client.end().then(() => true),
        () => false,
      );
    },
    (isUp) => isUp,
  );
}
