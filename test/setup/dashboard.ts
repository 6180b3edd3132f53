import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect, inject } from 'vitest';
import { startProductWithAccountMail } from './account-mail.ts';
import { startChromium, type TestBrowser } from './chromium.ts';
import { eventually } from './eventually.ts';
import { fileFixture } from './fixtures.ts';
import type { TestPerson } from './people.ts';
import type { OwnProduct } from './product.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const screens = `${root}.cache/screens`;

export interface PageOptions extends BrowserContextOptions {
  /** Whether the browser has idle time, in which the dashboard loads the code of all its pages. */
  isIdle?: boolean;
}

export interface DashboardStage {
  stack: OwnProduct;
  /** Opens a page in a fresh browser context, with its own cookies and storage. */
  open(options?: PageOptions): Promise<WatchedPage>;
  openPages(): Page[];
  close(): Promise<void>;
}

/** Starts the product with the built dashboard, and a Chromium. */
async function startDashboard(executable: string): Promise<DashboardStage> {
  const [folder, browser] = await Promise.all([builtDashboard(), startChromium(executable)]);
  const stack = await startProductWithAccountMail({ DASHBOARD_DIR: folder });
  return {
    stack,
    open: (options) => openPage(browser, stack, options),
    openPages: () => browser.pages(),
    async close() {
      await browser.close();
      await stack.close();
    },
  };
}

/** One per test file. Skip the tests if there is no browser. */
export const useDashboard = (executable = ''): DashboardStage =>
  fileFixture(
    () => startDashboard(executable),
    ({ close }) => close(),
  );

/** Folder of the built dashboard. Builds it first if its sources have changed, once for all test files of the run. */
async function builtDashboard(): Promise<string> {
  const lock = new pg.Client(inject('databaseUrl'));
  await lock.connect();
  try {
    await lock.query(`select pg_advisory_lock(hashtext('build of the dashboard'))`);
    const command = ['local/bootstrap/entry.mjs', `${root}local/build-dashboard.ts`];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
    return stdout.trim().split('\n').at(-1) ?? '';
  } finally {
    await lock.end();
  }
}

export interface WatchedPage {
  page: Page;
  /** Problems that the browser has reported since the last call: errors, blocked content, requests to other servers. */
  complaints(): string[];
  /** Waits until the page has loaded everything that it shows. */
  settled(): Promise<void>;
  signIn(person: TestPerson): Promise<void>;
  /** Opens another tab of the same browser. */
  openTab(): Promise<WatchedPage>;
}

async function openPage(
  browser: TestBrowser,
  stack: OwnProduct,
  { isIdle = false, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.open({
    viewport: { width: 1440, height: 900 },
    baseURL: `${stack.url}/app/`,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  if (!isIdle) await context.addInitScript('window.requestIdleCallback = () => 0');
  // Chromium logs nothing if the code that was blocked catches the error.
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('blocked by ' + violatedDirective + ': ' + blockedURI))`,
  );
  // Far more than a busy machine needs; only a hang reaches it.
  context.setDefaultTimeout(60_000);
  const watch = async (): Promise<WatchedPage> => {
    const page = await context.newPage();
    return {
      page,
      ...watchPage(page, stack.url),
      openTab: watch,
      signIn: ({ cookie }) =>
        context.addCookies([{ name: 'token', value: cookie.slice(cookie.indexOf('=') + 1), url: stack.url }]),
    };
  };
  return watch();
}

function watchPage(page: Page, origin: string): Pick<WatchedPage, 'complaints' | 'settled'> {
  const complaints: string[] = [];
  const loading = new Set<Request>();
  let navigation: Request | undefined;
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) navigation = request;
    loading.add(request);
    const url = new URL(request.url());
    const isInline = ['data:', 'blob:', 'about:'].includes(url.protocol);
    if (url.origin !== origin && !isInline) complaints.push(`asked ${url.href}`);
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || navigation === undefined) return;
    // A navigation aborts the requests of the previous page without an event.
    for (const request of loading) if (request !== navigation) loading.delete(request);
    navigation = undefined;
  });
  page.on('requestfinished', (request) => loading.delete(request));
  page.on('requestfailed', (request) => {
    loading.delete(request);
    // A download, for example.
    if (request === navigation) navigation = undefined;
  });
  return {
    complaints: () => complaints.splice(0),
    async settled() {
      const awaited = async () => {
        const isShown = await page.evaluate<boolean>(settledScript);
        return [...(isShown ? [] : [page.url()]), ...[...loading].map((request) => request.url())];
      };
      // An answer is rendered in the next frame, which may cause the next request.
      await eventually(
        async () => [...(await awaited()), ...(await awaited())],
        ({ length }) => length === 0,
      );
    },
  };
}

const settledScript = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(document.querySelector('h1') !== null && document.querySelector('.animate-pulse') === null))))`;

/** Saves a screenshot to `.cache/screens`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await mkdir(screens, { recursive: true });
  await page.screenshot({ path: `${screens}/${name}.png`, fullPage: true });
}

const looksFocusedScript = `(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none')(
  getComputedStyle(document.activeElement))`;

/** Presses Tab until the target has the focus, which must be visible. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) === 1) {
      expect(await page.evaluate(looksFocusedScript), `the focus on ${target} shows`).toBe(true);
      return;
    }
  }
  expect.fail(`${target} can't be reached with Tab`);
}
