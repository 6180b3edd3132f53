import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { sharedProduct, type TestProduct } from './setup/product.ts';
import { createTestSender, type TestAnswer, type TestSender } from './setup/sender.ts';

let stack: TestProduct;
let sender: TestSender;
beforeAll(async () => {
  stack = await sharedProduct();
});
beforeEach(async () => {
  sender = await createTestSender(stack.url);
});

const create = (email: string, data: Record<string, unknown> = {}, subscribed = true) =>
  sender.post('/contacts', { email, data, subscribed });

/** Addresses of a list by address, and its total. */
async function list(query: string): Promise<{ emails: string[]; total: number }> {
  const { status, body } = await sender.get(`/contacts?sort=email&${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return { emails: body.data.map((contact: { email: string }) => contact.email), total: body.total };
}

const is = (...emails: string[]) => ({ emails, total: emails.length });

function fieldsOf({ status, body }: TestAnswer): [number, string[]] {
  return [status, body.error.errors.map((issue: { field: string }) => issue.field)];
}

describe('GET /contacts by status', () => {
  beforeEach(async () => {
    await create('in@example.com');
    await create('out@example.com', {}, false);
    await create('later@example.com', {}, false);
    await sql(
      stack.database.orm.em.fork(),
      `update contacts set snoozed_until = now() + interval '1 day'
       where project_id = $1 and email = 'later@example.com'`,
      [sender.projectId],
    );
  });

  it('distinguishes subscribed, unsubscribed and snoozed contacts, with exact totals', async () => {
    expect(await list('status=subscribed')).toEqual(is('in@example.com'));
    expect(await list('status=unsubscribed')).toEqual(is('out@example.com'));
    expect(await list('status=snoozed')).toEqual(is('later@example.com'));
    expect(await list('subscribed=false')).toEqual(is('later@example.com', 'out@example.com'));
    expect(await list('subscribed=false&status=snoozed')).toEqual(is('later@example.com'));
    expect(await list('subscribed=true&status=snoozed')).toEqual(is());
    expect(await list('')).toEqual(is('in@example.com', 'later@example.com', 'out@example.com'));
    expect(await list('status=unsubscribed&search=AT')).toEqual(is());
  });

  it('refuses any other status with 422', async () => {
    expect(fieldsOf(await sender.get('/contacts?status=asleep'))).toEqual([422, ['status']]);
  });
});

describe('GET /contacts by data', () => {
  beforeEach(async () => {
    await create('a@example.com', { plan: 'pro', seats: 5, vip: true, 'first name': 'Ada & Co' });
    await create('b@example.com', { plan: 'pro', seats: '5', vip: 'true', address: { city: 'Rome' } });
    await create('c@example.com', {
      plan: 'free',
      seats: [5],
      'address.city': 'Rome',
      address: { city: 'Oslo' },
    });
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: 'foreign@example.com', data: { plan: 'pro' } });
  });

  it('finds the contacts with that value', async () => {
    const expected: [string, string[]][] = [
      ['filter[data.plan]=pro', ['a', 'b']],
      ['filter%5Bdata.plan%5D=pro', ['a', 'b']],
      ['filter[data.plan]=Pro', []],
      ['filter[data.plan]=pr', []],
      ['filter[data.seats]=5', ['a', 'b']],
      ['filter[data.seats]=5.0', []],
      ['filter[data.vip]=true', ['a', 'b']],
      ['filter[data.first name]=Ada%20%26%20Co', ['a']],
      ['filter[data.address.city]=Rome', ['b', 'c']],
      ['filter[data.address.city]=Oslo', []],
      ['filter[data.address]=Rome', []],
      ['filter[data.plan]=pro&filter[data.address.city]=Rome', ['b']],
      ['filter[data.plan]=pro&filter[data.plan]=free', ['a', 'b', 'c']],
      ['filter[data.plan]=pro&search=B%40', ['b']],
      ['filter[data.plan]=pro&subscribed=false', []],
      ["filter[data.plan' or true --]=pro", []],
      ['filter[data.none]=', []],
    ];
    for (const [query, names] of expected) {
      expect(await list(query), query).toEqual(is(...names.map((name) => `${name}@example.com`)));
    }
  });

  it('pages with a cursor', async () => {
    const first = await sender.get('/contacts?sort=email&limit=1&filter[data.plan]=pro');
    expect(first.body).toMatchObject({ total: 2, hasMore: true, data: [{ email: 'a@example.com' }] });
    const second = await sender.get(
      `/contacts?sort=email&limit=1&filter[data.plan]=pro&cursor=${first.body.cursor}`,
    );
    expect(second.body).toMatchObject({ total: 0, hasMore: false, data: [{ email: 'b@example.com' }] });
  });

  it('refuses filters on anything else, and too many of them, with 422', async () => {
    expect(fieldsOf(await sender.get('/contacts?filter[email]=x&filter[data.]=y'))).toEqual([
      422,
      ['filter[email]', 'filter[data.]'],
    ]);
    expect(fieldsOf(await sender.get('/contacts?filter=x'))).toEqual([422, ['filter']]);
    const many = Array.from({ length: 11 }, (_, index) => `filter[data.k${index}]=1`).join('&');
    expect(fieldsOf(await sender.get(`/contacts?${many}`))).toEqual([422, ['filter']]);
  });
});

describe('POST /contacts/lookup', () => {
  it('separates known from unknown addresses, normalised, each once, in order', async () => {
    await create('ada@example.com');
    await create('grace@example.com');
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: 'foreign@example.com' });
    const emails = [
      'nobody@example.com',
      ' Grace@Example.com ',
      'foreign@example.com',
      'ada@example.com',
      'grace@example.com',
    ];
    const answer = await sender.post('/contacts/lookup', { emails });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      found: ['grace@example.com', 'ada@example.com'],
      notFound: ['nobody@example.com', 'foreign@example.com'],
    });
    expect((await sender.get('/contacts')).body.total).toBe(2);
  });

  it('takes 1 to 500 well-formed addresses, and answers 400 otherwise', async () => {
    const emails = Array.from({ length: 501 }, (_, index) => `reader-${index}@example.com`);
    const full = await sender.post('/contacts/lookup', { emails: emails.slice(1) });
    expect(full.body.notFound).toHaveLength(500);
    for (const body of [{ emails }, { emails: [] }, {}, { emails: ['ada@example.com', 'nobody'] }]) {
      const refused = await sender.post('/contacts/lookup', body);
      expect(refused.status).toBe(400);
      expect(refused.body.error.code).toBe('BAD_REQUEST');
    }
    expect((await sender.post('/contacts/lookup', { emails: 'ada@example.com' })).status).toBe(422);
  });
});

describe('DELETE /contacts/:id', () => {
  it('takes the contact out of the totals', async () => {
    const { body } = await create('ada@example.com');
    await create('grace@example.com');
    await sender.delete(`/contacts/${body.id}`);
    expect(await list('status=subscribed')).toEqual(is('grace@example.com'));
  });
});
