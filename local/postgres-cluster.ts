import { chown, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, type OnSpawn, startChildProcess } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { processesWorkingIn, sendSignal } from './process-identity.ts';
import { commandAs, type ProgramUser } from './program-user.ts';

export const postgresRole = 'posthaste';

export const postgresEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  TZ: 'UTC',
  LC_ALL: 'C',
};

const majorVersion = '18';
const leftoverTimeoutMs = 20_000;

export interface ClusterOptions {
  directory: string;
  password: string;
  binaries: PostgresBinaries;
  user: ProgramUser | undefined;
  isDurable: boolean;
  onSpawn?: OnSpawn | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Creates a cluster of our version unless it exists. It is built in a staging folder and renamed when complete, so an
 * interrupted first start leaves nothing half done.
 * The builtin C.UTF-8 locale sorts by code point, the same on every machine.
 * @throws LocalStackError when the folder holds something else, or a cluster of another Postgres version
 */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { directory } = options;
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === majorVersion) return;
    throw new LocalStackError(
      `${directory} was written by Postgres ${version.trim()} but this is Postgres ${majorVersion}. Start the Posthaste version that wrote it, dump the data with pg_dump, and load it into a new data folder.`,
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
  const { directory, password, binaries, user, onSpawn, signal } = options;
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
      onSpawn,
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
 * Ends what an earlier run left on this cluster: a running or stopping postmaster, the backends of a killed one, and
 * its pid file, which Postgres would trust even if the pid now belongs to another process or a zombie.
 */
export async function clearLeftoverServer(directory: string): Promise<void> {
  const path = await realpath(directory);
  const pidFile = join(path, 'postmaster.pid');
  const recorded = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (recorded === undefined) return;
  const postmaster = Number(recorded.split('\n', 1)[0]);
  const left = () => processesWorkingIn(path);
  if (left().includes(postmaster)) {
    const gone = () => !left().includes(postmaster);
    await endProcess(gone, (signal) => sendSignal(postmaster, signal), 'SIGINT', leftoverTimeoutMs);
  }
  // Backends exit on their own when their postmaster dies; SIGKILL is for those that do not.
  for (let waitedMs = 0; left().length > 0; waitedMs += 25) {
    if (waitedMs >= 5_000) for (const pid of left()) sendSignal(pid, 'SIGKILL');
    await delay(25);
  }
  if (process.platform === 'linux') await rm(pidFile, { force: true });
}
