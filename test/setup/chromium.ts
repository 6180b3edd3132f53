import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const run = promisify(execFile);
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

const canRun = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

async function findInstalled(): Promise<string | undefined> {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const folders = [...PATH.split(path.delimiter), '/usr/bin'];
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  for (const candidate of CHROMIUM_PATH ? [CHROMIUM_PATH] : candidates) {
    if (await canRun(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Path of the Chromium that `@sparticuz/chromium` ships for Linux on x64, unpacked into `.cache` once (200 MB, ten
 * seconds). It includes the libraries and fonts that a bare machine lacks.
 */
async function unpackShipped(): Promise<string> {
  const shipped = import.meta.resolve('@sparticuz/chromium');
  const manifest = await readFile(new URL('../package.json', shipped), 'utf8');
  const folder = path.join(cache, `chromium-${JSON.parse(manifest).version}`);
  const executable = path.join(folder, 'chromium');
  if (await canRun(executable)) return executable;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(path.join(cache, 'unpacking-'));
  // It unpacks into the temporary folder, and unpacks its libraries only if it believes it runs on Amazon Linux.
  const env = { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  const script = 'const { default: it } = await import(process.argv[1]); await it.executablePath()';
  await run(process.execPath, ['--input-type=module', '--eval', script, shipped], { env });
  const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${path.join(folder, 'fonts')}</dir>
  <cachedir>${path.join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
  await writeFile(path.join(draft, 'fonts.conf'), fonts);
  // Another process may have unpacked it first.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return executable;
}

function environmentOf(executablePath: string): Record<string, string | undefined> {
  const folder = path.dirname(executablePath);
  if (!folder.startsWith(cache)) return process.env;
  return {
    ...process.env,
    LD_LIBRARY_PATH: path.join(folder, 'al2023/lib'),
    FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
  };
}

/** Path of an installed Chromium, or else of the shipped one; undefined, with a visible warning, if neither runs. */
export async function findChromium(): Promise<string | undefined> {
  const installed = await findInstalled();
  if (installed !== undefined) return installed;
  const { platform, arch } = process;
  if (platform === 'linux' && arch === 'x64') return unpackShipped();
  process.stderr.write(
    `\n!!! NO CHROMIUM, tests in a browser are SKIPPED: none is installed, and none is shipped for ${platform}-${arch}. Set CHROMIUM_PATH.\n\n`,
  );
  return undefined;
}

export interface TestBrowser {
  open(options: BrowserContextOptions): Promise<BrowserContext>;
  /** The open pages of all contexts. */
  pages(): Page[];
  close(): Promise<void>;
}

export async function startChromium(executablePath: string): Promise<TestBrowser> {
  const profile = await mkdtemp(path.join(tmpdir(), 'posthaste-chromium-'));
  const browser = await chromium.launch({
    executablePath,
    env: environmentOf(executablePath),
    headless: true,
    args: [
      // The sandbox of Chromium needs privileges that containers lack; the browser only loads our pages.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--crash-dumps-dir=${profile}`,
    ],
  });
  return {
    open: (options) => browser.newContext(options),
    pages: () => browser.contexts().flatMap((context) => context.pages()),
    async close() {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
