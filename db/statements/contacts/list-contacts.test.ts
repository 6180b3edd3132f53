import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { valuesWithText } from '../../../core/contact-data/values-with-text.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../testing/sql.ts';
import { trackEvents } from '../events/track-events.ts';
import { type ContactFilter, contactStatuses, type DataFilter } from './contact-filter.ts';
import type { ContactRow } from './contact-row.ts';
import { type ContactOrder, type ContactPosition, countMatches, listContacts } from './list-contacts.ts';

let database: TestDatabase;
let em: Em;
let projectId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const none: ContactFilter = { search: undefined, statuses: undefined, data: [] };
const orders: ContactOrder[] = [
  { by: 'email', direction: 'asc' },
  { by: 'email', direction: 'desc' },
  { by: 'createdAt', direction: 'asc' },
  { by: 'createdAt', direction: 'desc' },
];

/** All pages, read one after the other. */
async function readPages(filter: ContactFilter, order: ContactOrder, limit: number): Promise<string[]> {
  const emails: string[] = [];
  let after: ContactPosition | undefined;
  for (;;) {
    const page = await listContacts(em, projectId, filter, order, after, limit);
    emails.push(...page.map((contact) => contact.email));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return emails;
    after = { value: order.by === 'email' ? last.email : last.createdAt.toISOString(), id: last.id };
  }
}

beforeEach(async () => {
  em = database.orm.em.fork();
  projectId = randomUUID();
  // Three contacts per instant, so that pages end among equals.
  const inputs = Array.from({ length: 20 }, (_, index) =>
    trackInput(projectId, `${'gatcbd'[index % 6]}${String(index).padStart(2, '0')}@example.com`, {
      subscribed: index % 4 !== 0,
      patch: {
        plan: ['free', 'pro', 'true', '5'][index % 4] ?? null,
        ...(index % 3 === 0 ? { seats: index % 5 } : {}),
        active: index % 2 === 0,
        address: { city: ['Rome', 'Oslo'][index % 2] ?? null },
        ...(index === 7 ? { 'address.city': 'literally' } : {}),
        list: ['free'],
      },
      occurredAt: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, Math.floor(index / 3))),
    }),
  );
  await trackEvents(em, inputs);
  await sql(
    em,
    `update contacts set snoozed_until = now() + interval '1 day'
     where project_id = $1 and not subscribed and email like '%8@%'`,
    [projectId],
  );
  await trackEvents(em, [trackInput(randomUUID(), 'foreign@example.com', { patch: { plan: 'pro' } })]);
});

describe('a list', () => {
  it.each(orders)('goes through all contacts once, page by page, by $by $direction', async (order) => {
    const all = await listContacts(em, projectId, none, order, undefined, 100);
    const sorted = all.toSorted((one, other) => {
      const byValue =
        order.by === 'email'
          ? one.email < other.email
            ? -1
            : 1
          : one.createdAt.getTime() - other.createdAt.getTime();
      const ascending = byValue || (one.id < other.id ? -1 : 1);
      return order.direction === 'asc' ? ascending : -ascending;
    });
    expect(all).toHaveLength(20);
    expect(all).toEqual(sorted);
    for (const limit of [1, 2, 7, 20]) {
      expect(await readPages(none, order, limit)).toEqual(all.map((contact) => contact.email));
    }
  });

  const dataFilter = fc.constantFrom<DataFilter>(
    { key: 'plan', path: ['plan'], values: valuesWithText('pro') },
    { key: 'plan', path: ['plan'], values: valuesWithText('true') },
    { key: 'plan', path: ['plan'], values: ['free', 'pro'] },
    { key: 'seats', path: ['seats'], values: valuesWithText('3') },
    { key: 'active', path: ['active'], values: valuesWithText('true') },
    { key: 'address.city', path: ['address', 'city'], values: ['Oslo'] },
    { key: 'address.city', path: ['address', 'city'], values: ['literally'] },
    { key: 'list.0', path: ['list', '0'], values: ['free'] },
    { key: 'none', path: ['none'], values: ['x'] },
  );
  const filterOf = fc.record({
    search: fc.constantFrom(undefined, '1', '%', 'a', '@example', 'g00@example.com'),
    statuses: fc.option(fc.subarray([...contactStatuses]), { nil: undefined }),
    data: fc.array(dataFilter, { maxLength: 2 }),
  });

  /** What the filter means, in memory. */
  function matches({ email, subscribed, snoozedUntil, data }: ContactRow, filter: ContactFilter): boolean {
    const status = subscribed ? 'subscribed' : snoozedUntil ? 'snoozed' : 'unsubscribed';
    const valueAt = (key: string, path: readonly string[]) =>
      Object.hasOwn(data, key)
        ? data[key]
        : path.reduce<unknown>(
            (value, step) =>
              typeof value === 'object' && value !== null && !Array.isArray(value)
                ? Reflect.get(value, step)
                : undefined,
            data,
          );
    return (
      email.includes(filter.search ?? '') &&
      (filter.statuses ?? contactStatuses).includes(status) &&
      filter.data.every(({ key, path, values }) => values.some((value) => value === valueAt(key, path)))
    );
  }

  it('and its count keep to the filter, in every order', async () => {
    const all = await listContacts(em, projectId, none, { by: 'email', direction: 'asc' }, undefined, 100);
    await fc.assert(
      fc.asyncProperty(filterOf, fc.constantFrom(...orders), async (filter, order) => {
        const wanted = all.filter((contact) => matches(contact, filter)).map((contact) => contact.email);
        const seen = await readPages(filter, order, 3);
        expect(seen.toSorted()).toEqual(wanted);
        expect(seen).toEqual((await readPages(none, order, 20)).filter((email) => wanted.includes(email)));
        expect(await countMatches(em, projectId, filter)).toBe(wanted.length);
      }),
      { numRuns: 150 },
    );
  });

  it('finds matches however far away they are', async () => {
    await sql(
      em,
      `insert into contacts (id, project_id, email, data, created_at)
       select uuidv7(), $1, 'bulk-' || i || '@many.test', '{"plan": "none"}', timestamptz '2026-02-01' + i * interval '1 second'
       from generate_series(1, 12000) i`,
      [projectId],
    );
    const pro: ContactFilter = { ...none, data: [{ key: 'plan', path: ['plan'], values: ['pro'] }] };
    for (const order of orders) {
      expect(await readPages(pro, order, 2)).toHaveLength(5);
      expect(await readPages({ ...none, search: '07@example' }, order, 2)).toEqual(['a07@example.com']);
      expect(await readPages({ ...none, search: '@' }, order, 5_000)).toHaveLength(12_020);
      expect(await readPages({ ...none, search: '@example' }, order, 3)).toHaveLength(20);
    }
    expect(await countMatches(em, projectId, { ...none, search: 'many' })).toBe(12_000);
  });
});
