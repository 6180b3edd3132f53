import { chown, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, startChildProcess } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { processesWorkingIn, sendSignal } from './process-identity.ts';
import { commandAs, type ProgramUser } from './program-user.ts';

/** Role that owns everything in the embedded Postgres, and the name of its database. */
export const postgresRole = 'posthaste';

/** The whole environment of the Postgres programs: nothing of ours, one time zone, plain messages. */
export const postgresEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  TZ: 'UTC',
  LC_ALL: 'C',
};

const majorVersion = '18';

export interface ClusterOptions {
  directory: string;
  password: string;
  binaries: PostgresBinaries;
  user: ProgramUser | undefined;
  /** Whether the new files reach the disk before this returns; not worth the time for a cluster of tests. */
  isDurable: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Makes sure that a cluster of our version exists. A new one is made beside its place and moved there when it is
 * whole, so that an interrupted first start leaves nothing half done.
 *
 * The builtin C.UTF-8 locale sorts by code point, the same on every machine.
 *
 * @throws LocalStackError when the folder holds something else, or a cluster of another Postgres version.
 */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { directory } = options;
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === majorVersion) return;
    throw new LocalStackError(
      `${directory} was written by Postgres ${version.trim()} and this is Postgres ${majorVersion}. Start the Posthaste that wrote it, dump the data with pg_dump, and load them into a new data folder.`,
    );
  }
  const content = await readdir(directory).catch(() => []);
  if (content.length > 0) {
    throw new LocalStackError(
      `${directory} holds files but no Postgres data. Move them away, or set DATA_DIR to another folder.`,
    );
  }
  await createCluster(options);
}

async function createCluster(options: ClusterOptions): Promise<void> {
  const { directory, password, binaries, user, signal } = options;
  const staging = `${directory}.new`;
  const passwordFile = `${directory}.password`;
  await rm(staging, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user !== undefined) {
      await chown(staging, user.uid, user.gid);
      await chown(passwordFile, user.uid, user.gid);
    }
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = [`--username=${postgresRole}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const durability = options.isDurable ? [] : ['--no-sync'];
    const args = [`--pgdata=${staging}`, ...access, ...locale, ...durability];
    const how = commandAs(user, [binaries.initdb, staging], binaries.initdb, args);
    const initdb = await startChildProcess({
      name: 'initdb',
      ...how,
      environment: postgresEnvironment,
      workingDirectory: '/',
      log: () => undefined,
      signal,
    });
    const { code, lastLines } = await initdb.exited;
    signal?.throwIfAborted();
    if (code !== 0)
      throw new LocalStackError(`Postgres could not create its data folder: ${lastLines.join('\n')}`);
    await rename(staging, directory);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

/**
 * Ends what an earlier run left behind on this cluster, so that a new server can start: a postmaster that is
 * still running or stopping, processes of one that was killed, and its pid file, which Postgres would otherwise
 * believe when the number belongs to another process (or to a zombie) by now.
 */
export async function clearLeftoverServer(directory: string, timeoutMs = 20_000): Promise<void> {
  const path = await realpath(directory);
  const pidFile = join(path, 'postmaster.pid');
  const recorded = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (recorded === undefined) return;
  const postmaster = Number(recorded.split('\n', 1)[0]);
  const left = () => processesWorkingIn(path);
  if (left().includes(postmaster)) {
    const gone = () => !left().includes(postmaster);
    await endProcess(gone, (signal) => sendSignal(postmaster, signal), 'SIGINT', timeoutMs);
  }
  // Backends notice the death of their postmaster by themselves; SIGKILL only meets one that doesn't.
  for (let waitedMs = 0; left().length > 0; waitedMs += 25) {
    if (waitedMs >= 5_000) for (const pid of left()) sendSignal(pid, 'SIGKILL');
    await delay(25);
  }
  if (process.platform === 'linux') await rm(pidFile, { force: true });
}
