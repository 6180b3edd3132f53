import { createServer, request, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltDashboard, writeBuiltDashboard } from '../api/dashboard/testing/built-dashboard.ts';
import { routes } from '../api/routes/index.ts';
import { listen } from '../local/testing/listen.ts';
import { findChromium, startChromium, type TestBrowser } from './setup/chromium.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { startTestApi, type TestApi } from './setup/start-test-api.ts';

const executable = await findChromium();
const hostileEmail = `<style>p { color: rgb(1, 2, 3) }</style><p style="font-size: 31px">Hello</p>
<script>document.querySelector('p').textContent = 'hacked'</script>
<p onclick="1" id="second">x</p><img src="data:," onerror="document.querySelector('p').textContent = 'hacked'">`;
const script = `
const answer = await fetch(new URL('../health', document.baseURI));
document.title = (await answer.json()).status + ' ' + document.baseURI;
const frame = document.createElement('iframe');
frame.setAttribute('sandbox', 'allow-same-origin');
frame.srcdoc = ${JSON.stringify(hostileEmail).replaceAll('</script>', '<\\/script>')};
document.body.append(frame);
`;

describe.skipIf(executable === undefined)('in a browser', () => {
  let database: TestDatabase;
  let built: BuiltDashboard;
  let api: TestApi;
  let browser: TestBrowser;
  let proxy: Server;
  let proxyPort: number;
  let opened: Page | undefined;
  let complaints: string[] = [];

  beforeAll(async () => {
    [database, built, browser] = await Promise.all([
      createTestDatabase(),
      writeBuiltDashboard(script),
      startChromium(executable ?? ''),
    ]);
    const environment = { DASHBOARD_DIR: built.folder };
    api = await startTestApi({ database, routes, services: {}, environment });
    proxy = createPrefixProxy(api.url, '/mail');
    proxyPort = await listen(proxy);
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await api?.close();
    await Promise.all([built?.remove(), database?.close()]);
  });
  afterEach(async () => {
    await opened?.context().close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(url: string, accepted: RegExp = /^$/): Promise<Page> {
    const page = await (await browser.open({ viewport: { width: 1440, height: 900 } })).newPage();
    opened = page;
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() !== 'info' && !accepted.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (asked) => {
      const { origin, protocol } = new URL(asked.url());
      if (origin !== new URL(url).origin && protocol !== 'data:') complaints.push(`asked ${asked.url()}`);
    });
    await page.goto(url, { waitUntil: 'commit' });
    return page;
  }

  it('the API reference renders, and contacts no other server', async () => {
    const page = await open(`${api.url}/docs`);
    await page.getByText('Contacts').first().waitFor({ timeout: 60_000 });
  });

  const blockedScript = /^Blocked script execution in 'about:srcdoc'|Content Security Policy/;

  it('the dashboard finds its files and its API behind a proxy that strips a prefix', async () => {
    const base = `http://127.0.0.1:${proxyPort}/mail/app/`;
    const page = await open(`${base}contacts/some/one`, blockedScript);
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe(`ok ${base}`);
  });

  it('an email in a sandboxed frame keeps its styles and runs no script', async () => {
    const page = await open(`${api.url}/app/`, blockedScript);
    const paragraph = page.frameLocator('iframe').locator('p').first();
    await paragraph.waitFor();
    const style = await paragraph.evaluate((element) => {
      const { color, fontSize } = element.ownerDocument.defaultView.getComputedStyle(element);
      return { color, fontSize };
    });
    expect(style).toEqual({ color: 'rgb(1, 2, 3)', fontSize: '31px' });
    expect(await paragraph.textContent()).toBe('Hello');
  });
});

/** A reverse proxy that serves the API below `prefix`. */
function createPrefixProxy(target: string, prefix: string): Server {
  return createServer((from, to) => {
    if (from.url?.startsWith(`${prefix}/`) !== true) return void to.writeHead(404).end();
    const { method, headers } = from;
    const passed = request(`${target}${from.url.slice(prefix.length)}`, { method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    from.pipe(passed);
  });
}
