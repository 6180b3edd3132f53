import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const run = promisify(execFile);
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const installTimeoutMs = 180_000;

async function findInstalled(): Promise<string | undefined> {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const folders = [...PATH.split(path.delimiter), '/usr/bin'];
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  for (const candidate of CHROMIUM_PATH ? [CHROMIUM_PATH] : candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}

/**
 * The program of an installed Chromium. Where there is none and this is root on a Debian, its package is installed,
 * which takes half a minute once. Undefined, with a loud line, where none can be had.
 */
export async function findChromium(): Promise<string | undefined> {
  const installed = await findInstalled();
  if (installed !== undefined) return installed;
  let cause = 'not root, so nothing can be installed';
  if (process.getuid?.() === 0) {
    try {
      const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const options = { timeout: installTimeoutMs, env: environment, maxBuffer: 64 * 1024 * 1024 };
      const wait = ['-o', 'DPkg::Lock::Timeout=120', '-qq'];
      await run('apt-get', [...wait, 'update'], options);
      await run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', 'chromium'], options);
      const found = await findInstalled();
      if (found !== undefined) return found;
      cause = 'the package has no program';
    } catch (error) {
      cause = String(error);
    }
  }
  process.stderr.write(`\n!!! NO CHROMIUM, tests in a browser are SKIPPED: ${cause}. Set CHROMIUM_PATH.\n\n`);
  return undefined;
}

/** A browser for one test file, with a profile of its own. */
export interface TestBrowser {
  open(options: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** Starts a headless Chromium that asks nothing of the network by itself. */
export async function startChromium(executablePath: string): Promise<TestBrowser> {
  const profile = await mkdtemp(path.join(tmpdir(), 'posthaste-chromium-'));
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [
      // Its own sandbox needs privileges that containers don't give; it only sees our pages.
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
    async close() {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
