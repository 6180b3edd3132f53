import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { defaultCacheDirectory } from '../../local/temporal-binary.ts';
import { isExecutable } from '../../local/wheel.ts';

const buildTimeoutMs = 3_600_000;

/** The programs of the Temporal server, as `docker-compose.yml` runs it. */
export interface TemporalPrograms {
  version: string;
  server: string;
  /** `temporal-sql-tool`, which creates its tables. */
  sqlTool: string;
  /** The server's environment in the compose file, without variables that are filled in from outside. */
  settings: Record<string, string>;
}

/** @returns undefined if they have not been built on this machine */
export async function findTemporalPrograms(): Promise<TemporalPrograms | undefined> {
  const deployment = await readDeployment();
  const folder = folderOf(deployment.version);
  // `go install` names them after their packages.
  const [server, sqlTool] = [join(folder, 'server'), join(folder, 'sql')];
  if (!(await isExecutable(server)) || !(await isExecutable(sqlTool))) return undefined;
  return { ...deployment, server, sqlTool };
}

/**
 * Builds them once with Go, from the Go module proxy.
 *
 * @throws Error that says why they can't be built
 */
export async function buildTemporalPrograms(log: (line: string) => void): Promise<TemporalPrograms> {
  const found = await findTemporalPrograms();
  if (found !== undefined) return found;
  const { version } = await readDeployment();
  const folder = folderOf(version);
  const staging = `${folder}.${process.pid}.tmp`;
  log(`Building the Temporal server ${version} with Go, once: 20 minutes of CPU time …`);
  await mkdir(staging, { recursive: true });
  try {
    const packages = ['server', 'tools/sql'].map((name) => `go.temporal.io/server/cmd/${name}@v${version}`);
    await execa('go', ['install', '-trimpath', '-ldflags', '-s -w', ...packages], {
      env: { GOBIN: staging, GOTOOLCHAIN: 'auto', CGO_ENABLED: '0' },
      timeout: buildTimeoutMs,
    });
    await rename(staging, folder);
  } catch (error) {
    throw new Error(
      `The Temporal server could not be built; that needs Go 1.21 or later and its module proxy. --temporal development does without.`,
      { cause: error },
    );
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const built = await findTemporalPrograms();
  if (built === undefined) throw new Error(`The build left no programs in ${folder}`);
  return built;
}

const folderOf = (version: string) => join(defaultCacheDirectory, `temporal-server-${version}`);

async function readDeployment(): Promise<Pick<TemporalPrograms, 'version' | 'settings'>> {
  const text = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const service = /^ {2}temporal:\n((?: {4}.*\n)+)/m.exec(text)?.[1] ?? '';
  const version = /^ {4}image: temporalio\/server:(\S+)$/m.exec(service)?.[1];
  if (version === undefined) throw new Error('docker-compose.yml names no image of the Temporal server');
  const environment = /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(service)?.[1] ?? '';
  const settings = environment.matchAll(/^ {6}([A-Z_]+): '?([^'$\n]+)'?$/gm);
  return { version, settings: Object.fromEntries([...settings].map(([, name, value]) => [name, value])) };
}
