import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { execa } from 'execa';
import { type RunningChild, startChildProcess } from '../../local/child-process.ts';
import { sendSignal } from '../../local/process-identity.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePorts } from '../../local/testing/free-port.ts';
import { startCrashablePostgres } from '../setup/own-postgres.ts';
import type { TemporalMachine } from './temporal-machine.ts';
import type { TemporalPrograms } from './temporal-programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const databases = ['temporal', 'temporal_visibility'];
const startTimeoutMs = 300_000;
const restartAfterMs = 500;

/** Starts the real server on its own Postgres, with the settings and set-up scripts of the Compose deployment. */
export async function startTemporalServer(
  programs: TemporalPrograms,
  directory: string,
): Promise<TemporalMachine> {
  const folder = join(directory, 'temporal');
  await mkdir(join(folder, 'bin'), { recursive: true });
  // Under the names that the scripts use.
  await symlink(programs.sqlTool, join(folder, 'bin', 'temporal-sql-tool'));
  await symlink(await findTemporalBinary({ environment: process.env }), join(folder, 'bin', 'temporal'));
  const path = `${join(folder, 'bin')}:/usr/bin:/bin`;
  const runScript = (name: string, environment: Record<string, string>) =>
    execa('sh', [join(root, 'deploy/temporal', name)], {
      env: { PATH: path, HOME: folder, ...environment },
      extendEnv: false,
    });

  const database = await startCrashablePostgres();
  const access = new URL(database.url);
  await createTables(programs.sqlTool, access, runScript);
  const [port = 0, ...otherPorts] = await freePorts(portNames.length);
  const server = keepServing(() =>
    startChildProcess({
      name: 'The Temporal server',
      command: programs.server,
      args: ['--allow-no-auth', 'start'],
      environment: {
        ...{ PATH: path, HOME: folder },
        ...programs.settings,
        ...settingsOf(access, [port, ...otherPorts]),
      },
      workingDirectory: folder,
      log: () => undefined,
    }),
  );
  const address = `127.0.0.1:${port}`;
  server.start();
  await runScript('setup-namespace.sh', { TEMPORAL_ADDRESS: address });
  return {
    name: `server ${programs.version} on Postgres`,
    port,
    database,
    unexpectedExits: server.unexpectedExits,
    kill: () => server.end('SIGKILL'),
    async start() {
      server.start();
      await untilServing(address);
    },
    async close() {
      await server.end('SIGTERM');
      await database.close();
    },
  };
}

async function createTables(
  sqlTool: string,
  { hostname, port, username, password }: URL,
  runScript: (name: string, environment: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  const environment = { SQL_HOST: hostname, SQL_PORT: port, SQL_USER: username, SQL_PASSWORD: password };
  for (const database of databases) {
    await execa(sqlTool, ['--plugin', 'postgres12_pgx', '--database', database, 'create-database'], {
      env: environment,
      extendEnv: false,
    });
  }
  await runScript('setup-schema.sh', environment);
}

const portNames = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
];

/** The settings that differ on this machine. */
function settingsOf({ hostname, port, username, password }: URL, ports: number[]): Record<string, string> {
  return {
    POSTGRES_SEEDS: hostname,
    DB_PORT: port,
    POSTGRES_USER: username,
    POSTGRES_PWD: password,
    BIND_ON_IP: '127.0.0.1',
    PROMETHEUS_ENDPOINT: '',
    DYNAMIC_CONFIG_FILE_PATH: join(root, 'deploy/temporal/dynamic-config.yaml'),
    ...Object.fromEntries(portNames.map((name, index) => [name, String(ports[index])])),
  };
}

interface Supervised {
  readonly unexpectedExits: readonly string[];
  start(): void;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Restarts the server after an unexpected exit, as Docker does; it may exit while its database is down. */
function keepServing(launch: () => Promise<RunningChild>): Supervised {
  const unexpectedExits: string[] = [];
  let isWanted = false;
  let current: RunningChild | undefined;
  let supervised = Promise.resolve();

  async function supervise(): Promise<void> {
    while (isWanted) {
      current = await launch();
      if (!isWanted) await current.stop();
      const { lastLines } = await current.exited;
      if (!isWanted) return;
      unexpectedExits.push(`Temporal: ${lastLines.at(-1)?.slice(0, 300)}`);
      await delay(restartAfterMs);
    }
  }

  return {
    unexpectedExits,
    start() {
      isWanted = true;
      supervised = supervise();
    },
    async end(signal) {
      isWanted = false;
      if (signal === 'SIGTERM') await current?.stop();
      else if (current !== undefined) sendSignal(current.pid, signal);
      await supervised;
    },
  };
}

async function untilServing(address: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 5_000 });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(250);
  }
}
