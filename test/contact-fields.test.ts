import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { foldFigures } from '../temporal/activities/sweeps/fold-contact-figures.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { startAnotherApi } from './setup/processes.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const second = fileFixture(
  () => startAnotherApi(stack),
  ({ kill }) => kill(),
);

const fieldUrl = (field: string, rest = '') => `/contacts/fields/${encodeURIComponent(field)}${rest}`;
const create = (email: string, data: Record<string, unknown> = {}, subscribed = true) =>
  sender.post('/contacts', { email, data, subscribed });

async function customFields(): Promise<Record<string, [string, number]>> {
  const { body } = await sender.get('/contacts/fields');
  expect(body.count).toBe(body.fields.length);
  return Object.fromEntries(
    body.fields
      .filter(({ isCustom }: { isCustom: boolean }) => isCustom)
      .map((one: { field: string; type: string; coverage: number }) => [one.field, [one.type, one.coverage]]),
  );
}

async function typeOf(key: string): Promise<string | undefined> {
  const [row] = await stack.sql<{ type: string }>(
    'select type from contact_fields where project_id = $1 and key = $2',
    [sender.projectId, key],
  );
  return row?.type;
}

describe('GET /contacts/fields', () => {
  it('lists the built-in fields of a project without contacts', async () => {
    const { status, body } = await sender.get('/contacts/fields');
    expect(status).toBe(200);
    expect(body).toEqual({
      fields: [
        { field: 'email', type: 'string', isCustom: false, coverage: 0 },
        { field: 'subscribed', type: 'boolean', isCustom: false, coverage: 0 },
        { field: 'createdAt', type: 'date', isCustom: false, coverage: 0 },
        { field: 'updatedAt', type: 'date', isCustom: false, coverage: 0 },
        { field: 'snoozedUntil', type: 'date', isCustom: false, coverage: 0 },
      ],
      count: 5,
    });
  });

  it('reports types and exact coverage, before and after folding', async () => {
    await create('a@example.com', { plan: 'pro', seats: 3, since: '2026-01-01', vip: true });
    await create('b@example.com', { plan: 'free', seats: 'many' });
    await create('c@example.com', { plan: 'free', vip: false });
    const gone = await create('d@example.com', { plan: 'free', gone: 1 });
    await create('c@example.com', { vip: null });
    const { contact } = (
      await sender.post('/v1/track', { email: 'e@example.com', event: 'visit', data: { seats: 1 } })
    ).body.data;
    await sender.patch(`/contacts/${contact}`, { data: { plan: 'pro' } });
    await sender.delete(`/contacts/${gone.body.id}`);
    const expected = {
      'data.gone': ['number', 0],
      'data.plan': ['string', 1],
      'data.seats': ['number', 0.75],
      'data.since': ['date', 0.25],
      'data.vip': ['boolean', 0.25],
    };
    expect(await customFields()).toEqual(expected);
    await foldFigures(stack.em());
    expect(await customFields()).toEqual(expected);
    const { body } = await sender.get('/contacts/fields');
    expect(body.fields[0]).toEqual({ field: 'email', type: 'string', isCustom: false, coverage: 1 });
    expect(body.fields[4]).toMatchObject({ field: 'snoozedUntil', coverage: 0 });
  });
});

describe('the type of a field', () => {
  const track = (email: string, data: Record<string, unknown>) =>
    sender.post('/v1/track', { email, event: 'visit', data });
  const send = (to: string | string[], data: Record<string, unknown>) =>
    sender.post('/v1/send', {
      ...{ to, data, subject: 'Hello', body: '<p>Hello</p>', from: `hello@${sender.domain}` },
    });

  it('is not fixed by a refused write', async () => {
    const { body: ada } = await create('ada@example.com');
    await create('grace@example.com');
    await create('full@example.com', { note: 'x'.repeat(60_000) });
    const { body: full } = await create('full@example.com');
    const tooMuch = { more: 'x'.repeat(10_000), seats: 'many' };
    for (const [what, refused, status] of [
      ['unknown', sender.patch(`/contacts/${randomUUID()}`, { data: { seats: 'many' } }), 404],
      [
        'taken',
        sender.patch(`/contacts/${ada.id}`, { email: 'grace@example.com', data: { seats: 'many' } }),
        409,
      ],
      ['patch', sender.patch(`/contacts/${full.id}`, { data: tooMuch }), 422],
      ['upsert', create('full@example.com', tooMuch), 422],
      ['track', track('full@example.com', tooMuch), 422],
      ['send', send(['ada@example.com', 'full@example.com'], tooMuch), 422],
    ] as const) {
      expect((await refused).status, what).toBe(status);
      expect([await typeOf('seats'), await typeOf('more')], what).toEqual([undefined, undefined]);
    }
    await sender.patch(`/contacts/${ada.id}`, { data: { seats: 3 } });
    expect(await typeOf('seats')).toBe('number');
  });

  it('is fixed by each accepted contact of a call, even beside a refused one', async () => {
    await create('full@example.com', { note: 'x'.repeat(60_000) });
    const answers = await Promise.all([
      track('a@example.com', { a: 1 }),
      track('full@example.com', { more: 'x'.repeat(10_000) }),
      track('b@example.com', { b: true }),
      send('c@example.com', { c: '2026-01-31' }),
      send('full@example.com', { further: 'x'.repeat(10_000) }),
      send('d@example.com', { d: 'text' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 200, 200, 422, 200]);
    expect(await Promise.all(['a', 'b', 'c', 'd', 'more', 'further'].map(typeOf))).toEqual([
      ...['number', 'boolean', 'date', 'string', undefined, undefined],
    ]);
  });

  it('is fixed once when many calls bring new keys to two processes at once', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `key${index}`);
    const data = (values: readonly string[]) => Object.fromEntries(values.map((key) => [key, 1]));
    const call = async (index: number) => {
      const answer = await fetch(`${index % 2 === 0 ? stack.url : second.url}/v1/track`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sender.publicKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          ...{ email: `reader-${index % 10}@example.com`, event: 'visit' },
          data: data(index % 3 === 0 ? keys.toReversed() : keys),
        }),
      });
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => call(index)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await Promise.all(keys.map(typeOf))).toEqual(keys.map(() => 'number'));
  });
});

describe('DELETE /contacts/fields/:field', () => {
  it('removes the key from every contact, and forgets its type', async () => {
    const { body: kept } = await create('kept@example.com', { other: 1 });
    await create('foreign@example.com', { plan: 'pro' });
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: 'a@example.com', data: { plan: 'pro' } });
    await stack.sql(
      `insert into contacts (id, project_id, email, data, created_at, updated_at)
       select uuidv7(), $1, i || '@many.test', '{"plan": "pro", "other": 1}', '2026-01-01', '2026-01-01'
       from generate_series(1, 2500) i`,
      [sender.projectId],
    );
    const answer = await sender.delete(fieldUrl('data.plan'));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ deletedFrom: 2_501 });
    const [left] = await stack.sql(
      `select count(*)::int as contacts, count(*) filter (where data ? 'plan')::int as with_plan,
         count(*) filter (where data ? 'other')::int as with_other,
         count(*) filter (where updated_at < '2026-02-01')::int as old
       from contacts where project_id = $1`,
      [sender.projectId],
    );
    expect(left).toEqual({ contacts: 2_502, with_plan: 0, with_other: 2_501, old: 0 });
    expect((await sender.get(`/contacts/${kept.id}`)).body).toEqual({ ...kept, _meta: undefined });
    expect(Object.keys(await customFields())).toEqual(['data.other']);
    expect((await sender.get(fieldUrl('data.plan', '/values'))).body.values).toEqual([]);
    expect((await sender.delete(fieldUrl('data.plan'))).status).toBe(404);
    expect((await other.get(fieldUrl('data.plan', '/usage'))).body.contactCount).toBe(1);
  });

  it('leaves the segments that refer to the field, which its usage still lists', async () => {
    await create('a@example.com', { plan: 'pro', address: { city: 'Paris' } });
    const segmentOn = async (field: string) => {
      const filters = [{ field, operator: 'exists' }];
      const body = { name: field, condition: { logic: 'AND', groups: [{ filters }] } };
      return (await sender.post('/segments', body)).body;
    };
    const { id, name } = await segmentOn('data.plan');
    const nested = await segmentOn('data.address.city');
    await sender.delete(fieldUrl('data.plan'));
    expect((await sender.get(`/segments/${id}/contacts`)).body.data).toEqual([]);
    expect((await sender.get(fieldUrl('data.plan', '/usage'))).body).toEqual({
      usedInSegments: [{ id, name }],
      usedInCampaigns: [],
      usedInWorkflows: [],
      contactCount: 0,
    });
    const usageOfNested = await sender.get(fieldUrl('data.address.city', '/usage'));
    expect(usageOfNested.body).toMatchObject({
      usedInSegments: [{ id: nested.id, name: nested.name }],
      // Values within objects are not counted.
      contactCount: null,
    });
    await sender.delete(`/segments/${id}`);
    expect((await sender.get(fieldUrl('data.plan', '/usage'))).status).toBe(404);
  });

  it('removes every listed key, whatever its name', async () => {
    const keys = ['', ' ', '.', 'a.b', 'a/b', 'é %', 'toString', 'subscribed', 'data.', 'data.x'];
    await create('a@example.com', Object.fromEntries(keys.map((key) => [key, 1])));
    for (const field of Object.keys(await customFields())) {
      expect((await sender.get(fieldUrl(field, '/values'))).body.values, field).toEqual([1]);
      expect((await sender.get(fieldUrl(field, '/usage'))).body.contactCount, field).toBe(1);
      expect((await sender.delete(fieldUrl(field))).body, field).toEqual({ deletedFrom: 1 });
    }
    const [contact] = (await sender.get('/contacts')).body.data;
    expect(contact.data).toEqual({});
  });

  it('lets the next value determine the type again', async () => {
    await create('a@example.com', { plan: 'pro' });
    expect(await typeOf('plan')).toBe('string');
    await sender.delete(fieldUrl('plan'));
    expect(await typeOf('plan')).toBeUndefined();
    await eventually(async () => {
      await create('a@example.com', { plan: 5 });
      return typeOf('plan');
    }, 'number');
    expect(await customFields()).toEqual({ 'data.plan': ['number', 1] });
  });

  it('takes effect in a second process that has cached the field', async () => {
    const write = async (plan: unknown) => {
      const answer = await fetch(`${second.url}/contacts`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sender.secretKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'a@example.com', data: { plan } }),
      });
      expect(answer.ok).toBe(true);
    };
    await write('pro');
    await write('free');
    expect((await sender.delete(fieldUrl('plan'))).body).toEqual({ deletedFrom: 1 });
    await eventually(async () => {
      await write(5);
      return typeOf('plan');
    }, 'number');
  });

  it('refuses built-in fields with 400', async () => {
    for (const field of ['email', 'subscribed', 'createdAt', 'updatedAt', 'snoozedUntil']) {
      expect((await sender.delete(fieldUrl(field))).status).toBe(400);
    }
  });

  it('leaves no key without a type, even after an interruption', async () => {
    await create('a@example.com', { plan: 'pro' });
    await create('b@example.com', { plan: 'pro' });
    await foldFigures(stack.em());
    // The state that a process leaves if it is killed after the first contact, or if a write runs into the deletion.
    await stack.sql(
      `with forgotten as (delete from contact_fields where project_id = $1)
       update contacts set data = data - 'plan' where project_id = $1 and email = 'a@example.com'`,
      [sender.projectId],
    );
    await foldFigures(stack.em());
    expect(await customFields()).toEqual({ 'data.plan': ['string', 0.5] });
    expect((await sender.delete(fieldUrl('plan'))).body).toEqual({ deletedFrom: 1 });
    await foldFigures(stack.em());
    expect(await customFields()).toEqual({});
  });

  it('holds while others write the same key', async () => {
    const write = (round: number) =>
      Promise.all(
        Array.from({ length: 5 }, (_, index) => create(`reader-${index}@example.com`, { plan: round })),
      );
    await write(0);
    const deletions = [sender.delete(fieldUrl('plan')), sender.delete(fieldUrl('plan'))];
    const writes = [write(1), write(2), write(3)];
    for (const { status } of await Promise.all(deletions)) expect([200, 404]).toContain(status);
    for (const { status } of (await Promise.all(writes)).flat()) expect(status).toBe(200);
    await foldFigures(stack.em());
    const [row] = await stack.sql<{ holders: number }>(
      `select count(*) filter (where data ? 'plan')::int as holders from contacts where project_id = $1`,
      [sender.projectId],
    );
    const holders = row?.holders ?? -1;
    const fields = await customFields();
    if (holders > 0) expect(fields).toEqual({ 'data.plan': ['number', holders / 5] });
    else expect(fields['data.plan']?.[1] ?? 0).toBe(0);
  });
});
