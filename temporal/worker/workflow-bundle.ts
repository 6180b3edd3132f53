import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

const workflows = new URL('../workflows/', import.meta.url);
const contracts = new URL('../contracts/', import.meta.url);
const cache = new URL('../../.cache/', import.meta.url);

/** Raise it when this file changes how it bundles the sources. */
const layout = 3;

async function sourcesOf(folder: URL): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort();
  return Promise.all(names.map(async (name) => `${name}\n${await readFile(new URL(name, folder), 'utf8')}`));
}

async function fingerprint(): Promise<string> {
  const sdk: { version: string } = createRequire(import.meta.url)('@temporalio/worker/package.json');
  const hash = createHash('sha256').update(`${sdk.version} ${layout}`);
  for (const text of [...(await sourcesOf(workflows)), ...(await sourcesOf(contracts))]) hash.update(text);
  return hash.digest('hex').slice(0, 16);
}

/**
 * The workflow code, bundled for the sandbox. Bundling takes seconds, so the result is cached in `.cache` under a hash
 * of its sources; an image build can put it there. When the folder is not writable, each start bundles again.
 */
export async function loadWorkflowBundle(): Promise<WorkflowBundleOption> {
  const file = new URL(`workflows-${await fingerprint()}.js`, cache);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const workflowsPath = fileURLToPath(new URL('index.ts', workflows));
  const bundle = await bundleWorkflowCode({
    workflowsPath,
    // The modules keep no state, so the workflows of a thread can share them: evaluated per workflow, they took a third
    // of its CPU and three quarters of its memory.
    preloadModules: [workflowsPath],
    // Stack traces need the positions; the sources would double a script that three threads hold in memory.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  const code = toOneByte(bundle.code);
  const draft = new URL(`workflows-${randomUUID()}.tmp`, cache);
  await mkdir(cache, { recursive: true })
    .then(() => writeFile(draft, code))
    .then(() => rename(draft, file))
    .catch(() => undefined);
  return { code };
}

/** V8 stores a text with two bytes per character if any character needs it, such as a dash in a comment. */
function toOneByte(code: string): string {
  return code.replace(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
