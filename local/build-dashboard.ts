import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Logger } from 'pino';

// Imports only Node modules: the image build has none of the server's packages when it builds the dashboard.
const root = fileURLToPath(new URL('..', import.meta.url));
const timeoutMs = 180_000;
/** A running product may still serve the previous build. */
const keptBuilds = 2;
const compressible = /\.(js|css|svg|json|map|txt)$/;

export interface DashboardBuild {
  sources?: string;
  /** Folder of the builds, each named by the hash of its sources. The two used last are kept. */
  builds?: string;
  environment: Record<string, string | undefined>;
  say: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Builds the dashboard, with compressed files beside its files, unless its sources are built already.
 * @returns the folder; undefined without sources
 * @throws Error with the last lines of the build
 */
export async function buildDashboard({
  sources = join(root, 'web'),
  builds = join(root, '.cache/web'),
  environment,
  say,
  signal,
}: DashboardBuild): Promise<string | undefined> {
  if (!existsSync(join(sources, 'index.html'))) return undefined;
  const folder = join(builds, await hashOf(sources));
  if (existsSync(folder)) {
    await utimes(folder, new Date(), new Date());
    return folder;
  }
  say('Building the dashboard (after a change of its sources; takes up to a minute) …');
  await mkdir(builds, { recursive: true });
  const draft = await mkdtemp(`${builds}-draft-`);
  try {
    const args = ['build', sources, '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn'];
    await runVite(args, environment, signal);
    for await (const name of glob('**/*', { cwd: draft })) {
      if (compressible.test(name)) await compress(join(draft, name));
    }
    // The image runs as a different user than its build.
    await chmod(draft, 0o755);
    // Another start may have been faster.
    await rename(draft, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOldBuilds(builds);
  return folder;
}

async function removeOldBuilds(builds: string): Promise<void> {
  const folders = (await readdir(builds)).map((name) => join(builds, name));
  const used = await Promise.all(folders.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
  const latestFirst = used.toSorted((one, other) => other.at - one.at);
  for (const { path } of latestFirst.slice(keptBuilds)) await rm(path, { recursive: true, force: true });
}

async function hashOf(sources: string): Promise<string> {
  const hash = createHash('sha256');
  const names: string[] = [];
  const isLeftOut = (name: string) => name === 'node_modules' || name === 'dist';
  for await (const entry of glob('**/*', {
    cwd: sources,
    withFileTypes: true,
    exclude: (e) => isLeftOut(e.name),
  })) {
    if (entry.isFile()) names.push(join(entry.parentPath, entry.name));
  }
  for (const name of [...names.sort(), join(root, 'package-lock.json')]) {
    hash.update(`${relative(root, name)}\n`).update(await readFile(name));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Runs in a separate process, so that its memory is released. */
async function runVite(
  args: string[],
  environment: DashboardBuild['environment'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const script = join(root, 'node_modules/vite/bin/vite.js');
  const limit = AbortSignal.timeout(timeoutMs);
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { ...environment, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(-4_000);
    });
  }
  const code = await new Promise((done, failed) => child.once('error', failed).once('close', done));
  if (code !== 0) throw new Error(output.trim() || `vite ended with exit code ${code}`);
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < 1_000) return;
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

// `import.meta.main` is false below `local/bootstrap/entry.mjs`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const folder = await buildDashboard({ environment: process.env, say });
  process.stdout.write(`${folder ?? 'There is no folder web/ to build.'}\n`);
}

interface TriedBuild extends DashboardBuild {
  signal: AbortSignal;
  log: Pick<Logger, 'error'>;
}

/** Reports why a build fails and returns undefined: everything else works without a dashboard. */
export async function tryToBuildDashboard({ log, ...build }: TriedBuild): Promise<string | undefined> {
  try {
    return await buildDashboard(build);
  } catch (err) {
    build.signal.throwIfAborted();
    log.error({ err }, 'the dashboard could not be built');
    const reason = err instanceof Error ? err.message : String(err);
    build.say(
      `The dashboard could not be built, so Posthaste starts without it. "npm run web:build" tries again.\n${reason}`,
    );
    return undefined;
  }
}
