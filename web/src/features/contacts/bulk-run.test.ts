import type { Middleware } from 'openapi-fetch';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { toApiError } from '../../api/api-error.ts';

let answer: (request: Request) => Response;
vi.stubGlobal('document', { baseURI: 'https://mail.example.com/app/' });
const { api, selectProject } = await import('../../api/client.ts');
const { runBulk } = await import('./bulk-run.ts');
// Not by a stub of `fetch`, which the client keeps from its first import by any test file of the worker.
const server: Middleware = {
  async onRequest({ request }) {
    const response = answer(request);
    // As the client, which sees no answer of a middleware.
    if (!response.ok) throw await toApiError(response);
    return response;
  },
};
api.use(server);

afterEach(() => {
  selectProject(null);
});
afterAll(() => {
  api.eject(server);
  vi.unstubAllGlobals();
});

it('stays in the project in which it started', async () => {
  const calls: string[] = [];
  let pages = 0;
  answer = (request) => {
    const { pathname } = new URL(request.url);
    calls.push(`${request.headers.get('X-Project-Id')} ${request.method} ${pathname}`);
    if (pathname === '/contacts') {
      pages += 1;
      // The user switches projects while the first thousand contacts are being read.
      if (pages === 2) selectProject('other');
      return Response.json({ data: [{ id: `c${pages}` }], cursor: pages < 4 ? 'next' : null });
    }
    if (request.method === 'POST') return Response.json({ jobId: 'job' }, { status: 202 });
    const result = { successCount: 4, unchangedCount: 0, failureCount: 0 };
    return Response.json({ state: 'completed', result });
  };
  selectProject('mine');
  await runBulk({ operation: 'delete' }, { query: {} }, () => {}, new AbortController().signal);
  expect(calls.filter((call) => !call.startsWith('mine '))).toEqual([]);
});

it('starts no more calls when it is stopped during a wait for the rate limit', async () => {
  const ending = new AbortController();
  const posts: string[] = [];
  answer = (request) => {
    if (request.method === 'POST') posts.push(request.url);
    const headers = { 'RateLimit-Limit': '1000', 'RateLimit-Remaining': '10', 'RateLimit-Reset': '30' };
    setTimeout(() => ending.abort(), 20);
    return Response.json({ data: [{ id: 'c1' }], cursor: null }, { headers });
  };
  await runBulk({ operation: 'delete' }, { query: {} }, () => {}, ending.signal);
  expect(posts).toEqual([]);
});

it('asks for at most a thousand contacts at a time, also when a search answers with pages that are not full', async () => {
  const sizes = [100, 100, 100, 100, 100, 100, 100, 100, 100, 60, 100, 20];
  let pages = 0;
  answer = (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/contacts') {
      const data = Array.from({ length: sizes[pages] ?? 0 }, (_, n) => ({ id: `${pages}-${n}` }));
      pages += 1;
      return Response.json({ data, cursor: pages < sizes.length ? 'next' : null });
    }
    if (request.method === 'POST') return Response.json({ jobId: 'job' }, { status: 202 });
    const result = { successCount: 0, unchangedCount: 0, failureCount: 0 };
    return Response.json({ state: 'completed', result });
  };
  const done: number[] = [];
  await runBulk(
    { operation: 'delete' },
    { query: {} },
    (progress) => done.push(progress.done),
    new AbortController().signal,
  );
  expect(done).toEqual([1_000, 1_080]);
});

const contactOf = (id: string) => ({ id, email: `${id}@example.com` });

it('counts a batch whose outcome the server can’t answer at first', async () => {
  let reads = 0;
  answer = (request) => {
    if (request.method === 'POST') return Response.json({ jobId: 'job' }, { status: 202 });
    reads += 1;
    if (reads === 1) return new Response(null, { status: 503 });
    const result = { successCount: 2, unchangedCount: 0, failureCount: 0 };
    return Response.json({ state: 'completed', result });
  };
  const counts: number[] = [];
  await runBulk(
    { operation: 'unsubscribe' },
    { contacts: ['a', 'b'].map(contactOf) },
    ({ changed }) => counts.push(changed),
    new AbortController().signal,
  );
  expect(counts).toEqual([2]);
});

it('ends during an outage once it is stopped', async () => {
  const ending = new AbortController();
  let reads = 0;
  answer = () => {
    reads += 1;
    ending.abort();
    return new Response(null, { status: 503 });
  };
  const run = runBulk({ operation: 'delete' }, { query: {} }, () => {}, ending.signal);
  await expect(run).rejects.toMatchObject({ status: 503 });
  expect(reads).toBe(1);
});

it('adds members by address, five hundred at a time', async () => {
  let calls = 0;
  answer = (request) => {
    expect(new URL(request.url).pathname).toBe('/segments/s/members');
    calls += 1;
    return Response.json({ added: 150, created: 0, notFound: ['gone@example.com'] });
  };
  const contacts = Array.from({ length: 700 }, (_, n) => contactOf(String(n)));
  let last: unknown;
  await runBulk(
    { operation: 'add', segmentId: 's' },
    { contacts },
    (progress) => {
      last = progress;
    },
    new AbortController().signal,
  );
  expect(calls).toBe(2);
  expect(last).toEqual({ done: 700, changed: 300, unchanged: 398, failed: 2 });
});
