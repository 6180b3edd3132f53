import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestAnswer } from './setup/answer.ts';
import { insertContacts } from './setup/campaigns.ts';
import { where } from './setup/segments.ts';
import { createTestSender, useOneSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const create = (email: string, data: Record<string, unknown> = {}, subscribed = true) =>
  sender.post('/contacts', { email, data, subscribed });

/** The addresses on a page of the list, sorted, and its total. */
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
    await stack.sql(
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

it('finds an address of an international domain as it was written', async () => {
  await create('zoe@bücher.example', {});
  const stored = is('zoe@xn--bcher-kva.example');
  for (const part of ['zoe@bücher.example', '@BÜCHER', 'bücher.ex']) {
    expect(await list(`search=${encodeURIComponent(part)}`), part).toEqual(stored);
  }
  for (const [operator, value] of [
    ['equals', 'Zoe@Bücher.example'],
    ['contains', '@bücher'],
  ]) {
    const condition = where({ field: 'email', operator, value });
    expect((await sender.post('/segments/preview', { condition })).body.count, operator).toBe(1);
  }
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

describe('contacts of a large project', () => {
  const contacts = 41_000;
  const address = (n: number) => `reader-${n}@example.com`;
  /** Every 200th contact. */
  const pro = Array.from({ length: contacts / 200 }, (_, index) => address((index + 1) * 200));

  const sender = useOneSender(stack);
  beforeAll(async () => {
    await insertContacts(stack.em(), sender.projectId, contacts);
    await stack.sql(
      `update contacts set data = data || '{"plan": "pro"}', subscribed = (data ->> 'n')::int % 400 <> 0
       where project_id = $1 and (data ->> 'n')::int % 200 = 0`,
      [sender.projectId],
    );
  });

  /** All pages of a list or of a count. */
  async function follow(path: string): Promise<TestAnswer['body'][]> {
    const pages: TestAnswer['body'][] = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await sender.get(`${path}${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.hasMore).toBe(body.cursor !== null);
      pages.push(body);
      cursor = body.cursor;
    } while (cursor !== null);
    return pages;
  }
  const emailsOf = (pages: TestAnswer['body'][]) =>
    pages.flatMap((page) => page.data.map(({ email }: { email: string }) => email));

  it('are scanned in parts for a rare value, to the very end', async () => {
    const rare = 'filter[data.n]=1&filter[data.n]=20500&filter[data.n]=41000';
    const newestFirst = await follow(`/contacts?${rare}`);
    expect(emailsOf(newestFirst)).toEqual([address(41_000), address(20_500), address(1)]);
    expect(newestFirst).toMatchObject([
      { total: 1, totalAccuracy: 'minimum', data: [{ email: address(41_000) }] },
      { total: 0, totalAccuracy: 'minimum', data: [{ email: address(20_500) }] },
      { total: 0, totalAccuracy: 'minimum', data: [{ email: address(1) }], searchedUntil: null },
    ]);
    const [first, second] = newestFirst.map(({ searchedUntil }) => searchedUntil);
    const createdAt = async (n: number) =>
      (await sender.get(`/contacts?search=${address(n)}`)).body.data[0].createdAt;
    expect([first, second]).toEqual([await createdAt(21_001), await createdAt(1_001)]);

    const byAddress = await follow(`/contacts?sort=email&${rare}`);
    expect(emailsOf(byAddress)).toEqual([address(1), address(20_500), address(41_000)]);
    const addresses = Array.from({ length: contacts }, (_, index) => address(index + 1)).toSorted();
    expect(byAddress[0].searchedUntil).toBe(addresses[19_999]);
    expect(byAddress.at(-1).searchedUntil).toBeNull();
  });

  it('are each on exactly one page of a common value, in either order', async () => {
    for (const [order, expected] of [
      ['dir=asc', pro],
      ['dir=desc', pro.toReversed()],
      ['sort=email', pro.toSorted()],
    ] as const) {
      const pages = await follow(`/contacts?limit=30&filter[data.plan]=pro&${order}`);
      expect(emailsOf(pages)).toEqual(expected);
      expect(pages[0]).toMatchObject({ totalAccuracy: 'minimum', searchedUntil: null });
    }
  });

  it('have an exact count, in parts that add up, and exact totals where an index provides them', async () => {
    const counted = async (query: string) => {
      const parts = await follow(`/contacts/count?${query}`);
      return [parts.reduce((sum, { count }) => sum + count, 0), parts.length];
    };
    expect(await counted('filter[data.plan]=pro')).toEqual([pro.length, 3]);
    expect(await counted('filter[data.plan]=pro&status=unsubscribed')).toEqual([102, 1]);
    expect(await counted('search=reader&status=subscribed')).toEqual([contacts - 102, 3]);
    expect(await counted('filter[data.plan]=pro&search=reader-4000')).toEqual([2, 1]);
    expect(await counted('search=READER-1')).toEqual([11_111, 1]);
    expect(await counted('')).toEqual([contacts, 1]);

    for (const [query, total] of [
      ['', contacts],
      ['status=unsubscribed', 102],
      ['search=reader', contacts],
      ['search=reader-4000', 11],
      ['search=reader-4000&filter[data.plan]=pro', 2],
      ['status=unsubscribed&filter[data.plan]=pro', 102],
    ] as const) {
      const { body } = await sender.get(`/contacts?limit=1&${query}`);
      expect([body.total, body.totalAccuracy, body.searchedUntil], query).toEqual([total, 'exact', null]);
    }
    const { cursor } = (await sender.get('/contacts/count?filter[data.plan]=pro')).body;
    expect((await sender.get(`/contacts?cursor=${cursor}`)).status).toBe(400);
    expect((await sender.get('/contacts/count?cursor=nonsense')).status).toBe(400);
  });

  it('are all in the export of a filter', async () => {
    const headers = { Authorization: `Bearer ${sender.secretKey}` };
    const file = await fetch(`${stack.url}/contacts/export?filter[data.plan]=pro`, { headers });
    const lines = (await file.text()).trim().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[1])).toEqual(pro);
  });
});

describe('POST /contacts/lookup', () => {
  it('separates known from unknown addresses, normalized, each once, in order', async () => {
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

  it('takes a list of up to 500 addresses', async () => {
    const emails = Array.from({ length: 500 }, (_, index) => `reader-${index}@example.com`);
    const full = await sender.post('/contacts/lookup', { emails });
    expect(full.body.notFound).toHaveLength(500);
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
