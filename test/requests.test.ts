import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../core/pagination/cursor.ts';
import { eventually } from './setup/eventually.ts';
import { createOwnProject, createTestPerson } from './setup/people.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

interface Entry {
  id: string;
  requestId: string;
  createdAt: string;
  method: string;
  route: string;
  status: number;
  errorCode: string | null;
  credential: string;
  durationMs: number;
}

const stack = useSharedProduct();
const sender = useSender(stack);

const requests = async (query = ''): Promise<Entry[]> => (await sender.get(`/requests?${query}`)).body.data;
const idOf = ({ headers }: { headers: Headers }) => headers.get('X-Request-Id') ?? '';
/** The log entry of the request with this response, once it is written. */
async function entryOf(answer: { headers: Headers }): Promise<Entry> {
  const [entry] = await eventually(
    () => requests(`requestId=${idOf(answer)}`),
    (found) => found.length > 0,
  );
  if (entry === undefined) throw new Error('not in the log');
  return entry;
}
const call = (path: string, headers: Record<string, string>, body?: string) =>
  fetch(`${stack.url}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body: body ?? null });

describe('the log of requests', () => {
  it('has the outcome of a request, by its id, and none of its content', async () => {
    const askedAt = Date.now();
    const contact = await sender.post('/contacts', { email: 'secret@example.com' });
    const read = await sender.get(`/contacts/${contact.body.id}?secret=1`);
    expect(await entryOf(read)).toEqual({
      id: expect.any(String),
      requestId: idOf(read),
      createdAt: expect.any(String),
      method: 'GET',
      route: '/contacts/:id',
      status: 200,
      errorCode: null,
      credential: 'secretKey',
      durationMs: expect.any(Number),
    });
    const { createdAt, durationMs } = await entryOf(read);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(askedAt - 1_000);
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(durationMs).toBeGreaterThan(0);
    const everything = JSON.stringify(await requests());
    for (const text of ['secret@', 'secret=1', contact.body.id, sender.secretKey]) {
      expect(everything).not.toContain(text);
    }
  });

  it('has errors with their error code', async () => {
    const missing = await sender.get(`/contacts/${randomUUID()}`);
    const invalid = await sender.post('/v1/send', { to: 'nobody' });
    const short = await sender.post('/contacts', {});
    expect(await entryOf(missing)).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' });
    expect(await entryOf(invalid)).toMatchObject({
      route: '/v1/send',
      status: 422,
      errorCode: 'VALIDATION_ERROR',
    });
    expect(await entryOf(short)).toMatchObject({ route: '/contacts', status: 400, errorCode: 'BAD_REQUEST' });
  });

  it('names the kind of credential, and omits requests with a rejected key', async () => {
    const json = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ email: 'ada@example.com', event: 'signed up' });
    const person = await createTestPerson(stack.url);
    const project = await createOwnProject(person);
    const session = { Cookie: person.cookie, 'X-Project-Id': project.id };
    const bearer = { Authorization: `Bearer ${project.secretKey}` };
    const secret = await call('/contacts', bearer);
    const refused = await call('/contacts', { Authorization: `Bearer ${project.publicKey}` });
    const tracked = await call('/v1/track', { ...json, Authorization: `Bearer ${project.publicKey}` }, body);
    const seen = await call('/contacts', session);
    expect([secret.status, refused.status, tracked.status, seen.status]).toEqual([200, 401, 200, 200]);
    const ask = async (query = ''): Promise<Entry[]> => {
      const answer = await call(`/requests?${query}`, bearer);
      return (JSON.parse(await answer.text()) as { data: Entry[] }).data;
    };
    await eventually(
      () => ask(`requestId=${idOf(seen)}`),
      (found) => found.length === 1,
    );
    const kinds = new Map((await ask()).map(({ requestId, credential }) => [requestId, credential]));
    expect([secret, tracked, seen, refused].map((answer) => kinds.get(idOf(answer)))).toEqual([
      'secretKey',
      'publicKey',
      'session',
      undefined,
    ]);
    const keys = await ask('credential=publicKey,session');
    expect(new Set(keys.map(({ credential }) => credential))).toEqual(new Set(['publicKey', 'session']));
    // Members read it with their session, and see nothing of another project.
    const own = await call('/requests', session);
    expect(own.status).toBe(200);
    expect(await requests(`requestId=${idOf(seen)}`)).toEqual([]);
    const foreign = await call('/requests', { Cookie: person.cookie, 'X-Project-Id': sender.projectId });
    expect(foreign.status).toBe(404);
  });

  it('filters, and pages without gaps even among requests with the same id', async () => {
    const requestId = randomUUID();
    const headers = { Authorization: `Bearer ${sender.secretKey}`, 'X-Request-Id': requestId };
    const paths = [
      '/contacts',
      `/contacts/${randomUUID()}`,
      '/templates',
      '/contacts?limit=none',
      '/segments',
    ];
    for (const path of paths) await call(path, headers);
    const ask = (query: string) => requests(`requestId=${requestId}&${query}`);
    const all = await eventually(
      () => ask(''),
      (found) => found.length === paths.length,
    );
    const instants = all.map(({ createdAt }) => createdAt);
    expect(instants).toEqual(instants.toSorted().toReversed());
    const statuses = async (query: string) => (await ask(query)).map(({ status }) => status).toSorted();
    expect(await statuses('status=2xx')).toEqual([200, 200, 200]);
    expect(await statuses('status=4xx')).toEqual([404, 422]);
    expect(await statuses('status=404')).toEqual([404]);
    expect(await statuses('status=5xx')).toEqual([]);
    expect(await statuses('method=POST')).toEqual([]);
    expect(await statuses('method=GET&route=/contacts')).toEqual([200, 422]);
    expect(await statuses(`endDate=${instants.at(-1)}`)).toContain(all.at(-1)?.status);
    expect(await statuses(`startDate=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const paged: Entry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await sender.get(`/requests?requestId=${requestId}&limit=2${from}`);
      expect(body.hasMore).toBe(body.cursor !== null);
      paged.push(...body.data);
      cursor = body.cursor;
    }
    expect(paged).toEqual(all);
  });

  it('rejects invalid filters', async () => {
    const refusal = async (query: string) => {
      const { status, body } = await sender.get(`/requests?${query}`);
      return [status, body.error.code, body.error.errors?.[0]?.field];
    };
    for (const [field, value] of [
      ['status', '6xx'],
      ['status', '99'],
      ['status', 'ok'],
      ['method', 'TRACE'],
      ['route', 'contacts'],
      ['requestId', 'a b'],
      ['requestId', 'x'.repeat(129)],
      ['credential', 'password'],
      ['startDate', 'soon'],
      ['limit', '0'],
    ] as const) {
      expect(await refusal(`${field}=${value}`)).toEqual([
        422,
        'VALIDATION_ERROR',
        expect.stringContaining(field),
      ]);
    }
    const foreign = encodeCursor([new Date().toISOString(), randomUUID()]);
    for (const query of [
      `cursor=${foreign}`,
      'cursor=none',
      'startDate=2026-02-01T00:00:00Z&endDate=2026-01-01T00:00:00Z',
    ]) {
      expect((await refusal(query)).slice(0, 2)).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('shows part of a flood, counts what it omits, and keeps the requests of others', async () => {
    const flooded = await createTestSender(stack.url);
    const leftOut = async () => {
      const text = await (await fetch(`${stack.url}/metrics`)).text();
      return Number(/^posthaste_request_log_left_out_total\{reason="project"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await leftOut();
    const total = 300;
    const beginning = Math.floor(Date.now() / 1000);
    await Promise.all(Array.from({ length: total }, () => flooded.get('/segments')));
    const kept = total - ((await leftOut()) - before);
    const seconds = Math.floor(Date.now() / 1000) - beginning + 1;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(20 * seconds);
    const failed = await flooded.get(`/segments/${randomUUID()}`);
    await entryOf(await sender.get('/segments'));
    const { body } = await flooded.get(`/requests?requestId=${idOf(failed)}`);
    expect(body.data).toMatchObject([{ status: 404 }]);
    let found = 0;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: Entry[]; cursor: string | null } = (
        await flooded.get(`/requests?route=/segments&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body;
      found += page.data.length;
      cursor = page.cursor;
    }
    expect(found).toBe(kept);
  });
});
