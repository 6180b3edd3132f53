import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../core/pagination/cursor.ts';
import { eventually } from './setup/eventually.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

async function eventNames(): Promise<string[]> {
  const rows = await stack.sql<{ name: string }>(
    'select name from events where project_id = $1 order by id',
    [sender.projectId],
  );
  return rows.map((row) => row.name);
}

describe('POST /contacts', () => {
  it('creates a subscribed contact with 201, and updates it with 200', async () => {
    const created = await sender.post('/contacts', {
      email: ' Ada@Example.com ',
      data: { plan: 'pro', seats: 3 },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      email: 'ada@example.com',
      subscribed: true,
      snoozedUntil: null,
      data: { plan: 'pro', seats: 3 },
      _meta: { isNew: true, isUpdate: false },
    });
    const updated = await sender.post('/contacts', {
      email: 'ada@example.com',
      data: { seats: null, plan: '' },
    });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      id: created.body.id,
      subscribed: true,
      data: { plan: 'pro' },
      _meta: { isNew: false, isUpdate: true },
    });
    expect(updated.body.data).toEqual({ plan: 'pro' });
    expect(await eventNames()).toEqual([]);
  });

  it('answers 400 { error } without an address, and 422 for one that is malformed', async () => {
    const missing = await sender.post('/contacts', { data: {} });
    expect(missing.status).toBe(400);
    expect(missing.body).toEqual({ error: expect.any(String) });
    const malformed = await sender.post('/contacts', { email: 'nobody' });
    expect(malformed.status).toBe(422);
    expect(malformed.body.error.errors[0]).toMatchObject({
      field: 'email',
      code: 'invalid_string',
      received: 'nobody',
    });
  });
});

describe('PATCH /contacts/:id', () => {
  it('patches data, moves the address and journals each change of the subscription once', async () => {
    const { body: contact } = await sender.post('/contacts', {
      email: 'ada@example.com',
      data: { a: 1, b: { c: [1, null] } },
    });
    const patched = await sender.patch(`/contacts/${contact.id}`, {
      email: 'Countess@example.com',
      subscribed: false,
      data: { a: null, d: true },
    });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ email: 'countess@example.com', subscribed: false });
    expect(patched.body.data).toEqual({ b: { c: [1, null] }, d: true });
    expect(Date.parse(patched.body.updatedAt)).toBeGreaterThan(Date.parse(contact.updatedAt) - 1);
    await sender.patch(`/contacts/${contact.id}`, { subscribed: false });
    await sender.patch(`/contacts/${contact.id}`, { subscribed: true });
    expect(await eventNames()).toEqual(['contact.unsubscribed', 'contact.subscribed']);
  });

  it('refuses the address of another contact with 409, and foreign and unknown ids with 404', async () => {
    const { body: ada } = await sender.post('/contacts', { email: 'ada@example.com' });
    await sender.post('/contacts', { email: 'grace@example.com' });
    const taken = await sender.patch(`/contacts/${ada.id}`, { email: 'GRACE@example.com' });
    expect(taken.status).toBe(409);
    expect(taken.body.error.code).toBe('CONFLICT');
    const other = await createTestSender(stack.url);
    expect((await other.patch(`/contacts/${ada.id}`, { subscribed: false })).status).toBe(404);
    expect((await other.get(`/contacts/${ada.id}`)).status).toBe(404);
    expect((await other.delete(`/contacts/${ada.id}`)).status).toBe(404);
    expect((await sender.get('/contacts/nonsense')).status).toBe(422);
    expect((await other.post('/contacts', { email: 'ada@example.com' })).status).toBe(201);
  });
});

describe('DELETE /contacts/:id', () => {
  it('removes the contact, keeps its emails without an address and cancels the waiting ones', async () => {
    const { body: contact } = await sender.post('/contacts', { email: 'ada@example.com' });
    await stack.sql(
      `insert into emails (id, project_id, contact_id, source, to_email, from_email)
       values (uuidv7(), $1, $2, 'TRANSACTIONAL', 'ada@example.com', 'x@example.com')`,
      [sender.projectId, contact.id],
    );
    expect((await sender.delete(`/contacts/${contact.id}`)).status).toBe(204);
    expect((await sender.get(`/contacts/${contact.id}`)).status).toBe(404);
    expect((await sender.delete(`/contacts/${contact.id}`)).status).toBe(404);
    const rows = await stack.sql('select contact_id, to_email, status from emails where project_id = $1', [
      sender.projectId,
    ]);
    expect(rows).toEqual([{ contact_id: null, to_email: '', status: 'CANCELLED' }]);
  });
});

describe('GET /contacts', () => {
  it('pages through all contacts in either order, each once, with the total on the first page', async () => {
    const emails = Array.from(
      { length: 25 },
      (_, index) => `reader-${String(index).padStart(2, '0')}@example.com`,
    );
    for (const email of emails) await sender.post('/contacts', { email, subscribed: !email.includes('-1') });
    for (const [query, expected] of [
      ['', [...emails].reverse()],
      ['dir=asc', emails],
      ['sort=email&dir=desc', [...emails].reverse()],
      ['sort=nonsense&dir=nonsense', [...emails].reverse()],
      ['sort=email&search=READER-2', emails.slice(20)],
      ['subscribed=false', emails.slice(10, 20).reverse()],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await sender.get(
          `/contacts?limit=7&${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        expect(page.status).toBe(200);
        expect(page.body.total).toBe(cursor === null ? expected.length : 0);
        expect(page.body.hasMore).toBe(page.body.cursor !== null);
        seen.push(...page.body.data.map((contact: { email: string }) => contact.email));
        cursor = page.body.cursor;
      } while (cursor !== null);
      expect(seen, query).toEqual(expected);
    }
    expect((await sender.get('/contacts')).body.data).toHaveLength(20);
    for (const limit of ['1000', '99999999999999999999']) {
      expect((await sender.get(`/contacts?limit=${limit}`)).body.data).toHaveLength(25);
    }
  });

  it('refuses a cursor of another list', async () => {
    for (const i of [1, 2]) await sender.post('/contacts', { email: `reader-${i}@example.com` });
    const { body } = await sender.get('/contacts?limit=1');
    expect((await sender.get('/contacts?cursor=nonsense')).status).toBe(400);
    expect((await sender.get(`/contacts?sort=email&cursor=${body.cursor}`)).status).toBe(400);
    const yearZero = encodeCursor(['createdAt', '0000-01-01T00:00:00.000Z', sender.projectId]);
    expect((await sender.get(`/contacts?cursor=${yearZero}`)).status).toBe(400);
  });
});

describe('POST /v1/track', () => {
  it('records the event, creates a subscribed contact and stores its data', async () => {
    const answer = await sender.post('/v1/track', {
      email: 'ada@example.com',
      event: 'order placed',
      data: {
        total: 12.5,
        address: { city: 'London' },
        coupon: { value: 'X', persistent: false },
        gone: null,
      },
    });
    expect(answer.status).toBe(200);
    const { contact, event, timestamp } = answer.body.data;
    expect((await sender.get(`/contacts/${contact}`)).body).toMatchObject({
      subscribed: true,
      data: { total: 12.5, address: { city: 'London' } },
    });
    const events = await eventually(
      () => sender.get(`/events/contact/${contact}`),
      (found) => found.body.data?.length === 1,
    );
    expect(events.body).toEqual({
      data: [
        {
          id: event,
          name: 'order placed',
          contactId: contact,
          contactEmail: 'ada@example.com',
          emailId: null,
          createdAt: timestamp,
          data: { total: 12.5, address: { city: 'London' }, coupon: 'X', gone: null },
        },
      ],
      cursor: null,
      hasMore: false,
    });
  });

  it('creates a new event each time, and journals a subscription change before it', async () => {
    const first = await sender.post('/v1/track', {
      email: 'ada@example.com',
      event: 'visit',
      subscribed: false,
    });
    const second = await sender.post('/v1/track', { email: 'ada@example.com', event: 'visit' });
    await sender.post('/v1/track', { email: 'ada@example.com', event: 'visit', subscribed: true });
    expect(first.body.data.contact).toBe(second.body.data.contact);
    expect(first.body.data.event).not.toBe(second.body.data.event);
    expect(await eventNames()).toEqual(['visit', 'visit', 'contact.subscribed', 'visit']);
    const [stat] = await stack.sql(
      `select count from contact_event_stats where contact_id = $1 and name = 'visit'`,
      [first.body.data.contact],
    );
    expect(stat).toEqual({ count: 3 });
  });

  it.each([
    'email.sent',
    'email.anything',
    'contact.subscribed',
    'contact.unsubscribed',
    'segment.vip.entry',
    'segment.vip.exit',
  ])('refuses the reserved name %s', async (event) => {
    const answer = await sender.post('/v1/track', { email: 'ada@example.com', event });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [{ field: 'event', code: 'reserved_event' }],
    });
  });

  it('can be called by a browser from anywhere', async () => {
    const preflight = await fetch(`${stack.url}/v1/track`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('idempotency-key');
  });
});

describe('fields', () => {
  it('get the type of their first value permanently', async () => {
    const values = {
      number: 1,
      boolean: false,
      day: '2026-02-28',
      instant: '2026-02-28T10:00:00.000Z',
      noDay: '2026-02-30',
      digits: '42',
      list: [1],
    };
    await sender.post('/contacts', { email: 'ada@example.com', data: values });
    await sender.post('/contacts', { email: 'ada@example.com', data: { number: 'many', later: null } });
    const rows = await stack.sql<{ key: string; type: string }>(
      'select key, type from contact_fields where project_id = $1',
      [sender.projectId],
    );
    expect(Object.fromEntries(rows.map((row) => [row.key, row.type]))).toEqual({
      number: 'number',
      boolean: 'boolean',
      day: 'date',
      instant: 'date',
      noDay: 'string',
      digits: 'string',
      list: 'string',
    });
    const { body } = await sender.get('/contacts');
    expect(body.data[0].data.number).toBe('many');
  });
});
