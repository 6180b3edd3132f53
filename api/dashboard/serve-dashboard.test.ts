import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../test/setup/database.ts';
import { fileFixture } from '../../test/setup/fixtures.ts';
import { startTestApi } from '../../test/setup/start-test-api.ts';
import { writeBuiltDashboard } from './testing/built-dashboard.ts';

const script = `export const text = '${'a script. '.repeat(200)}';`;
const built = fileFixture(
  () => writeBuiltDashboard(script),
  ({ remove }) => remove(),
);
const database = useTestDatabase();
const serve = (environment: () => Record<string, string>) =>
  fileFixture(
    () => startTestApi({ database, routes: [], services: {}, environment: environment() }),
    ({ close }) => close(),
  );
const api = serve(() => ({ DASHBOARD_DIR: built.folder }));
const without = serve(() => ({}));

const asset = '/app/assets/app-1a2b.js';
const html = { Accept: 'text/html,*/*;q=0.8' };

describe('the page of the dashboard', () => {
  it.each([
    ['/app/', './'],
    ['/app/contacts', './'],
    ['/app/contacts/', '../'],
    ['/app/contacts/a%2Fb', '../'],
    ['/app/campaigns/1/report?tab=links', '../../'],
  ])('stands at %s, and finds its files at %s', async (path, base) => {
    const { status, headers, body } = await api.request(path);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain(`<base href="${base}">`);
    expect(new URL(`${base}assets/app-1a2b.js`, `${api.url}${path}`).pathname).toBe(asset);
  });

  it('is revalidated each time, and sent only when it has changed', async () => {
    const first = await api.request('/app/contacts');
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    const again = await api.request('/app/contacts', { headers });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await api.request('/app/contacts/x', { headers })).status).toBe(200);
  });

  it("runs only this server's scripts, can't be framed, and gives no address away", async () => {
    const { headers } = await api.request('/app/reset-password?token=secret');
    const policy = headers.get('Content-Security-Policy');
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "frame-ancestors 'none'",
      "base-uri 'self'",
    ]) {
      expect(policy).toContain(part);
    }
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  it('is where the root redirects a browser, by an address that works behind any proxy prefix', async () => {
    const root = await api.request('/', { headers: html });
    expect([root.status, root.headers.get('Location')]).toEqual([302, 'app/']);
    const bare = await api.request('/app?from=mail');
    expect([bare.status, bare.headers.get('Location')]).toEqual([302, 'app/?from=mail']);
    expect((await api.request('/')).status).toBe(404);
  });
});

describe('a file of the dashboard', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ])('is sent to a browser that takes %s as %s', async (accepted, sent) => {
    const { status, headers, body } = await api.request(asset, { headers: { 'Accept-Encoding': accepted } });
    expect([status, headers.get('Content-Encoding'), body]).toEqual([200, sent, script]);
    expect(headers.get('Content-Type')).toContain('text/javascript');
    expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('Vary')).toContain('Accept-Encoding');
  });

  it('without a hash in its name is revalidated each time', async () => {
    const { status, headers } = await api.request('/app/robots.txt');
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-cache']);
  });

  it('answers HEAD with only its size', async () => {
    const head = await api.request(asset, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect([head.status, head.headers.get('Content-Length'), head.body]).toEqual([
      200,
      `${script.length}`,
      '',
    ]);
  });

  it.each([
    '/app/assets/old-9z9z.js',
    '/app/assets/app-1a2b.js.br',
    '/app/index.html',
    '/app/..%2Fpackage.json',
    '/app/%2e%2e/package.json',
    '/app/assets/..%5c..%5cpackage.json',
  ])('is never another file: %s', async (path) => {
    expect((await api.request(path)).status).toBe(404);
  });

  it('can only be read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await api.request(asset, { method })).status).toBe(404);
    }
  });
});

it('is still served after its build is removed', async () => {
  const own = await writeBuiltDashboard(script);
  const serving = await startTestApi({
    database,
    routes: [],
    services: {},
    environment: { DASHBOARD_DIR: own.folder },
  });
  await own.remove();
  for (const encoding of ['br', 'gzip', 'identity']) {
    const { status, body } = await serving.request(asset, { headers: { 'Accept-Encoding': encoding } });
    expect([status, body]).toEqual([200, script]);
  }
  await serving.close();
});

it('explains how to build a dashboard when there is none', async () => {
  const { status, headers, body } = await without.request('/app/contacts');
  expect([status, headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(body).toContain('npm run web:build');
});
