import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { valuesWithText } from '../../../core/contact-data/values-with-text.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { trackEvents } from '../events/track-events.ts';
import { type ContactFilter, contactStatuses, type DataFilter } from './contact-filter.ts';
import { type ContactOrder, type ContactPosition, positionOf } from './contact-order.ts';
import type { ContactRow } from './contact-row.ts';
import { countContacts } from './count-contacts.ts';
import { listContacts } from './list-contacts.ts';
import { scanContacts } from './scan-contacts.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

const none: ContactFilter = { search: undefined, statuses: undefined, data: [] };
const orders: ContactOrder[] = [
  { by: 'email', direction: 'asc' },
  { by: 'email', direction: 'desc' },
  { by: 'createdAt', direction: 'asc' },
  { by: 'createdAt', direction: 'desc' },
];

/** All pages, read one after the other. */
async function readPages(
  filter: ContactFilter,
  order: ContactOrder,
  limit: number,
  perScan?: number,
): Promise<string[]> {
  const emails: string[] = [];
  let after: ContactPosition | undefined;
  for (;;) {
    const search = { projectId: project.id, filter, order, after };
    const { rows, scannedUntil } = await listContacts(em(), search, limit, perScan);
    emails.push(...rows.map(({ email }) => email));
    const last = rows.length === limit ? rows.at(-1) : undefined;
    after = last ? positionOf(order, last) : scannedUntil;
    if (after === undefined) return emails;
  }
}

const readAll = async (order: ContactOrder) =>
  (await listContacts(em(), { projectId: project.id, filter: none, order, after: undefined }, 100)).rows;

async function countParts(filter: ContactFilter, perScan?: number, atOnce?: number): Promise<number> {
  let total = 0;
  let after: ContactPosition | undefined;
  do {
    const { count, scannedUntil } = await countContacts(em(), project.id, filter, after, { perScan, atOnce });
    total += count;
    after = scannedUntil;
  } while (after !== undefined);
  return total;
}

beforeEach(async () => {
  // Three contacts per instant, so that pages end between equal instants.
  const inputs = Array.from({ length: 20 }, (_, index) =>
    trackInput(project.id, `${'gatcbd'[index % 6]}${String(index).padStart(2, '0')}@example.com`, {
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
  await trackEvents(em(), inputs);
  await sql(
    `update contacts set snoozed_until = now() + interval '1 day'
     where project_id = $1 and not subscribed and email like '%8@%'`,
    [project.id],
  );
  await trackEvents(em(), [trackInput(randomUUID(), 'foreign@example.com', { patch: { plan: 'pro' } })]);
});

describe('a list', () => {
  it.each(orders)('returns every contact once, page by page, by $by $direction', async (order) => {
    const all = await readAll(order);
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

  /** The meaning of the filter, in memory. */
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

  it('and its count match the filter, in every order, however little a call scans', async () => {
    const all = await readAll({ by: 'email', direction: 'asc' });
    const perScan = fc.constantFrom(undefined, 1, 3, 7, 20);
    await fc.assert(
      fc.asyncProperty(filterOf, fc.constantFrom(...orders), perScan, async (filter, order, contacts) => {
        const wanted = all.filter((contact) => matches(contact, filter)).map((contact) => contact.email);
        const seen = await readPages(filter, order, 3, contacts);
        expect(seen.toSorted()).toEqual(wanted);
        expect(seen).toEqual((await readPages(none, order, 20)).filter((email) => wanted.includes(email)));
        for (const atOnce of [0, 20]) expect(await countParts(filter, contacts, atOnce)).toBe(wanted.length);
      }),
      { numRuns: 200 },
    );
  });

  it('finds matches however far down they are', async () => {
    await insertMany(12_000);
    const pro: ContactFilter = { ...none, data: [{ key: 'plan', path: ['plan'], values: ['pro'] }] };
    for (const order of orders) {
      expect(await readPages(pro, order, 2, 1_000)).toHaveLength(5);
      expect(await readPages({ ...none, search: '07@example' }, order, 2, 1_000)).toEqual([
        'a07@example.com',
      ]);
      expect(await readPages({ ...none, search: '@' }, order, 5_000)).toHaveLength(12_020);
      expect(await readPages({ ...none, search: '@example' }, order, 3)).toHaveLength(20);
    }
    expect(await countParts({ ...none, search: 'many' })).toBe(12_000);
    expect(await countParts({ ...none, search: 'many', statuses: ['subscribed'] }, 1_000)).toBe(12_000);
    expect(await countParts(pro, 1_000)).toBe(5);
  });

  it('scans no more than allowed, and finds the few addresses of a search at once', async () => {
    await insertMany(3_000);
    const order = { by: 'createdAt', direction: 'desc' } as const;
    const page = (filter: ContactFilter) =>
      listContacts(em(), { projectId: project.id, filter, order, after: undefined }, 10, 100);
    const data = [{ key: 'plan', path: ['plan'], values: ['pro'] }];
    const partly = await page({ ...none, data });
    expect(partly.rows).toEqual([]);
    // The 100th newest contact.
    expect(partly.scannedUntil?.value).toBe('2026-02-01T00:48:21.000Z');
    const { rows, scannedUntil } = await page({ ...none, data, search: '@example' });
    expect([rows.length, scannedUntil]).toEqual([5, undefined]);
    expect((await page({ ...none, data, search: 'many' })).scannedUntil).toEqual(partly.scannedUntil);
    const wildcards = await page({ ...none, search: 'bulk_1' });
    expect([wildcards.rows, wildcards.scannedUntil]).toEqual([[], undefined]);
  });

  it('returns each contact once when others are created and deleted between two calls', async () => {
    await insertMany(100);
    const filter: ContactFilter = { ...none, data: [{ key: 'plan', path: ['plan'], values: ['none'] }] };
    const order = { by: 'createdAt', direction: 'desc' } as const;
    const before = await readPages(filter, order, 1_000);
    const seen: string[] = [];
    let after: ContactPosition | undefined;
    do {
      const { rows, scannedUntil } = await scanContacts(
        em(),
        { projectId: project.id, filter, order, after },
        1_000,
        30,
      );
      seen.push(...rows.map(({ email }) => email));
      await sql(`delete from contacts where project_id = $1 and email = $2`, [project.id, seen.at(-1)]);
      await insertMany(5);
      after = scannedUntil;
    } while (after !== undefined);
    expect(seen.filter((email) => before.includes(email))).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  });

  const insertMany = (contacts: number) =>
    sql(
      `insert into contacts (id, project_id, email, data, created_at)
       select uuidv7(), $1, 'bulk-' || i || '-' || gen_random_uuid() || '@many.test', '{"plan": "none"}',
         timestamptz '2026-02-01' + i * interval '1 second'
       from generate_series(1, $2::int) i`,
      [project.id, contacts],
    );
});
