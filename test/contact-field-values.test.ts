import { describe, expect, it } from 'vitest';
import { createSegment, where } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const fieldUrl = (field: string, rest = '') => `/contacts/fields/${encodeURIComponent(field)}${rest}`;
const create = (email: string, data: Record<string, unknown> = {}, subscribed = true) =>
  sender.post('/contacts', { email, data, subscribed });

describe('GET /contacts/fields/:field/values', () => {
  it('lists distinct scalars in order, of this project only', async () => {
    const values = ['pro', 'free', 'pro', 12, 2, '12', true, ['list'], { a: 1 }, 'Éa'];
    for (const [index, plan] of values.entries()) await create(`reader-${index}@example.com`, { plan });
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: 'x@example.com', data: { plan: 'foreign' } });
    const { status, body } = await sender.get(fieldUrl('data.plan', '/values'));
    expect(status).toBe(200);
    expect(body).toEqual({
      field: 'data.plan',
      values: [true, 2, 12, '12', 'free', 'pro', 'Éa'],
      count: 7,
      limit: 100,
      searched: null,
    });
    expect((await sender.get(fieldUrl('plan', '/values'))).body).toEqual(body);
  });

  it('answers with the values of the newest contacts when there are more than the limit', async () => {
    await create('reader@example.com', { seats: 0 });
    await stack.sql(
      `insert into contacts (id, project_id, email, data, created_at)
       select uuidv7(), $1, i || '@many.test', jsonb_build_object('seats', i), timestamptz '2030-01-01' + i * interval '1 day'
       from generate_series(1, 5) i`,
      [sender.projectId],
    );
    const { body } = await sender.get(fieldUrl('data.seats', '/values?limit=2'));
    expect(body).toEqual({ field: 'data.seats', values: [4, 5], count: 2, limit: 2, searched: null });
    expect((await sender.get(fieldUrl('data.seats', '/values?limit=1000'))).body.limit).toBe(200);
    expect((await sender.get(fieldUrl('data.seats', '/values?limit=0'))).status).toBe(422);
  });

  it('includes a value of each type, which reveals a mixed field', async () => {
    await create('reader@example.com', { size: 'none' });
    await stack.sql(
      `insert into contacts (id, project_id, email, data)
       select uuidv7(), $1, i || '@many.test', jsonb_build_object('size', case when i = 1 then to_jsonb(i) else to_jsonb(i || ' cm') end)
       from generate_series(1, 150) i`,
      [sender.projectId],
    );
    const { values } = (await sender.get(fieldUrl('data.size', '/values'))).body;
    expect([values.length, values[0]]).toEqual([100, 1]);
  });

  it('finds rare values among many contacts, and says if it did not read all contacts', async () => {
    await create('old@example.com', { color: 'red' });
    const add = (from: number, to: number) =>
      stack.sql(
        `insert into contacts (id, project_id, email, data, created_at)
         select uuidv7(), $1, i || '@many.test', '{"color": "blue"}', now() + i * interval '1 second'
         from generate_series($2::int, $3::int) i`,
        [sender.projectId, from, to],
      );
    const read = async () => (await sender.get(fieldUrl('data.color', '/values'))).body;
    await add(1, 11_000);
    expect(await read()).toMatchObject({ values: ['blue', 'red'], searched: null });
    await add(11_001, 20_000);
    expect(await read()).toMatchObject({ values: ['blue'], searched: 20_000 });
  });

  it('accepts keys with any characters, nested data, and built-in fields', async () => {
    const keys = ['first name', 'a/b', '50% off?', 'ключ', 'data.x', 'subscribed', "it's"];
    const data = Object.fromEntries(keys.map((key, index) => [key, index]));
    const { body: contact } = await create('a@example.com', { ...data, address: { city: 'Rome' } }, false);
    for (const [index, key] of keys.entries()) {
      const answer = await sender.get(fieldUrl(`data.${key}`, '/values'));
      expect(answer.body, key).toMatchObject({ field: `data.${key}`, values: [index] });
    }
    const valuesOf = async (field: string) => (await sender.get(fieldUrl(field, '/values'))).body.values;
    expect(await valuesOf('data.address.city')).toEqual(['Rome']);
    expect(await valuesOf('email')).toEqual(['a@example.com']);
    expect(await valuesOf('subscribed')).toEqual([false]);
    expect(await valuesOf('createdAt')).toEqual([contact.createdAt]);
    expect(await valuesOf('snoozedUntil')).toEqual([]);
  });

  it('lists none for a field that no contact has, and rejects its usage and deletion', async () => {
    await create('a@example.com', { plan: 'pro' });
    const other = await createTestSender(stack.url);
    for (const [reader, field] of [
      [sender, 'data.none'],
      [sender, 'data.none.nested'],
      [other, 'data.plan'],
    ] as const) {
      const { status, body } = await reader.get(fieldUrl(field, '/values'));
      expect(status).toBe(200);
      expect(body).toEqual({ field, values: [], count: 0, limit: 100, searched: null });
      expect((await reader.get(fieldUrl(field, '/usage'))).status).toBe(404);
      expect((await reader.delete(fieldUrl(field))).status).toBe(404);
    }
    expect((await sender.get(fieldUrl('x'.repeat(2_001), '/values'))).status).toBe(404);
  });
});

describe('GET /contacts/fields/:field/usage', () => {
  const condition = (field: string, value: unknown) => where({ field, operator: 'equals', value });

  it('names the segments and campaigns whose conditions read the field, and counts the contacts that have it', async () => {
    await create('a@example.com', { plan: 'pro', address: { city: 'Rome' } });
    await create('b@example.com', { plan: 'free' });
    const segment = async (name: string, field: string, value: unknown): Promise<string> => {
      return (await createSegment(sender, { name, condition: condition(field, value) })).id;
    };
    const pro = await segment('Pro', 'data.plan', 'pro');
    const romans = await segment('Romans', 'data.address.city', 'Rome');
    const active = await segment('Subscribed', 'subscribed', true);
    await sender.post('/segments', { name: 'By hand', type: 'STATIC' });
    const campaign = await sender.post('/campaigns', {
      ...{ name: 'To the pros', subject: 'Hello', body: '<p>Hello</p>', from: `hello@${sender.domain}` },
      ...{ audienceType: 'FILTERED', audienceCondition: condition('data.plan', 'pro') },
    });
    const none = { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [] };
    expect((await sender.get(fieldUrl('data.plan', '/usage'))).body).toEqual({
      ...none,
      usedInSegments: [{ id: pro, name: 'Pro' }],
      usedInCampaigns: [{ id: campaign.body.data.id, name: 'To the pros' }],
      contactCount: 2,
    });
    expect((await sender.get(fieldUrl('address', '/usage'))).body).toEqual({
      ...none,
      usedInSegments: [{ id: romans, name: 'Romans' }],
      contactCount: 1,
    });
    expect((await sender.get(fieldUrl('subscribed', '/usage'))).body).toEqual({
      ...none,
      usedInSegments: [{ id: active, name: 'Subscribed' }],
      contactCount: 2,
    });
    expect((await sender.get(fieldUrl('snoozedUntil', '/usage'))).body).toEqual({ ...none, contactCount: 0 });
  });
});
