import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { useTestApi } from '../../test/setup/start-test-api.ts';
import { createReadiness } from '../services/readiness.ts';

const down = () => Promise.reject(new Error('Down'));
const { api } = useTestApi({
  routes: [],
  services: null,
  checks: { temporal: down, clickhouse: async () => 1 },
});

describe('health', () => {
  it('reports that the process runs', async () => {
    const { status, body } = await api.request('/health');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });

  it('is ready without Temporal, but says so', async () => {
    const { status, body } = await api.request('/ready');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'degraded',
      dependencies: {
        postgres: { status: 'up', latencyMs: expect.any(Number) },
        temporal: { status: 'down', latencyMs: expect.any(Number) },
        clickhouse: { status: 'up', latencyMs: expect.any(Number) },
      },
    });
  });

  it('is not ready without Postgres, nor when Postgres does not answer', async () => {
    const refused = createReadiness({ postgres: () => Promise.reject(new Error('Refused')) });
    expect((await refused()).status).toBe('unavailable');
    const silent = createReadiness({ postgres: () => new Promise(() => undefined) });
    expect((await silent()).status).toBe('unavailable');
    const up = createReadiness({ postgres: () => Promise.resolve() });
    expect((await up()).status).toBe('ready');
  });

  it('exports metrics by route pattern', async () => {
    await api.request('/nowhere/ada@example.com');
    const { headers, body } = await api.request('/metrics');
    expect(headers.get('Content-Type')).toContain('text/plain');
    expect(body).toContain(
      'posthaste_http_request_duration_seconds_count{method="GET",route="/health",status="200"} 1',
    );
    expect(body).toContain('route="unmatched",status="404"');
    expect(body).not.toContain('ada@example.com');
    expect(body).toContain('nodejs_eventloop_lag');
  });
});

describe('the log', () => {
  it('has no line at info for probes and scrapes', async () => {
    for (const path of ['/health', '/ready', '/metrics']) {
      await api.request(path, { headers: { 'X-Request-Id': 'probe' } });
    }
    await api.request('/openapi.json', { headers: { 'X-Request-Id': 'probe' } });
    expect(api.logLines.filter((line) => line.requestId === 'probe')).toMatchObject([
      { level: 30, route: '/openapi.json' },
    ]);
  });
});

describe('documentation', () => {
  it('serves the document once per version', async () => {
    const { status, headers, body } = await api.request('/openapi.json');
    expect([status, body.openapi, body.info.version]).toEqual([200, '3.1.1', '0.0.0']);
    const etag = headers.get('ETag') ?? '';
    // A proxy that compresses the document makes its tag a weak one.
    for (const known of [etag, `W/${etag}`]) {
      const again = await api.request('/openapi.json', { headers: { 'If-None-Match': known } });
      expect([again.status, again.body]).toEqual([304, '']);
    }
  });

  it('is a page that needs no other server', async () => {
    const page = await api.request('/docs');
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/https?:\/\//);
    expect(page.body).not.toMatch(/<script>|<style>/);
    expect(page.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
    for (const file of ['scalar.js', 'start.js']) {
      for (const encoding of ['gzip', 'identity']) {
        const asset = await api.request(`/docs/${file}`, { headers: { 'Accept-Encoding': encoding } });
        expect([file, asset.status, asset.headers.get('Content-Type')?.split(';')[0]]).toEqual([
          file,
          200,
          'text/javascript',
        ]);
        expect(asset.body).toContain('createApiReference');
      }
    }
    for (const file of ['package.json', '..%2Fpackage.json', '__proto__', 'nothing']) {
      expect((await api.request(`/docs/${file}`)).status).toBe(404);
    }
    const createApiReference = vi.fn();
    const document = { baseURI: 'https://mail.example.com/prefix/docs' };
    const { body: script } = await api.request('/docs/start.js');
    runInNewContext(script, { Scalar: { createApiReference }, document, URL });
    expect(createApiReference.mock.lastCall?.[1]).toMatchObject({
      url: 'https://mail.example.com/prefix/openapi.json',
      servers: [{ url: 'https://mail.example.com/prefix' }],
    });
    const slash = await api.request('/docs/');
    expect([slash.status, slash.headers.get('Location')]).toEqual([302, '../docs']);
  });
});
