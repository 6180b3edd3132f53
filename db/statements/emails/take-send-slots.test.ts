import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, useTestDatabase } from '../../../test/setup/database.ts';
import type { Em, Orm } from '../../orm.ts';
import { sql as run } from '../../testing/sql.ts';
import { type SendSlots, takeSendSlots } from './send-slots.ts';

const database = useTestDatabase();
const { em, sql } = database;
let others: Orm[];
beforeAll(() => {
  others = Array.from({ length: 3 }, () => openPool(database.url, 8));
});
afterAll(async () => {
  for (const orm of others) await orm.close();
});

const burstSeconds = 1;
const horizonSeconds = 5;

const take = (own: Em, key: string, wanted: number, ratePerSecond: number) =>
  takeSendSlots(own, key, wanted, ratePerSecond, horizonSeconds);

/** A test during which no time passes: the clock of a transaction stands still. */
const atOneInstant = (test: (own: Em) => Promise<void>) => () => em().transactional(test);

/** Lets time pass for one bucket. */
const age = (own: Em, key: string, ms: number) =>
  run(own, `update throttles set next_free_at = next_free_at - make_interval(secs => $2) where key = $1`, [
    key,
    ms / 1000,
  ]);

/** Granted slots that may leave within so many milliseconds of the grant. */
const leavingWithin = (slots: SendSlots, ms: number, rate: number) =>
  Array.from({ length: slots.granted }, (_, index) => slots.startInMs + (index * 1000) / rate).filter(
    (startInMs) => startInMs <= ms,
  ).length;

describe('an idle bucket', () => {
  it.each([1, 7.5, 12.6, 50, 900])(
    'releases one second of emails immediately at %s a second, the rest at that pace',
    async (rate) => {
      const slots = await take(em(), randomUUID(), 100_000, rate);
      expect(slots.granted).toBe(Math.floor((burstSeconds + horizonSeconds) * rate));
      expect(slots.startInMs).toBe(-burstSeconds * 1000);
      expect(leavingWithin(slots, 0, rate)).toBe(Math.floor(burstSeconds * rate) + 1);
      expect(leavingWithin(slots, 1_000, rate)).toBe(Math.floor((burstSeconds + 1) * rate) + 1);
    },
  );

  it(
    'saves at most one second, however long it was idle',
    atOneInstant(async (own) => {
      const key = randomUUID();
      await take(own, key, 3, 10);
      await age(own, key, 3_600_000);
      expect(await take(own, key, 1_000, 10)).toMatchObject({ granted: 60, startInMs: -1_000 });
    }),
  );

  it(
    'grants fewer slots when fewer are requested',
    atOneInstant(async (own) => {
      const key = randomUUID();
      expect(await take(own, key, 3, 10)).toMatchObject({ granted: 3, startInMs: -1_000 });
      expect(await take(own, key, 3, 10)).toMatchObject({ granted: 3, startInMs: -700 });
    }),
  );

  it(
    'grants one email even when it refills more slowly than its horizon, and then none for as long',
    atOneInstant(async (own) => {
      const key = randomUUID();
      expect(await take(own, key, 5, 0.1)).toMatchObject({ granted: 1 });
      expect(await take(own, key, 5, 0.1)).toMatchObject({ granted: 0, retryInMs: 6_500 });
      await age(own, key, 10_000);
      expect(await take(own, key, 5, 0.1)).toMatchObject({ granted: 1 });
    }),
  );
});

describe('an empty bucket', () => {
  it(
    'grants nothing until the time that it reports',
    atOneInstant(async (own) => {
      const key = randomUUID();
      await take(own, key, 1_000, 2);
      expect(await take(own, key, 10, 2)).toMatchObject({ granted: 0, retryInMs: 2_500 });
      await age(own, key, 2_500);
      expect(await take(own, key, 1_000, 2)).toMatchObject({ granted: 5 });
    }),
  );

  it(
    'recovers at the new pace when the rate is raised',
    atOneInstant(async (own) => {
      const key = randomUUID();
      await take(own, key, 1_000, 1);
      expect(await take(own, key, 10, 100)).toMatchObject({ granted: 0 });
      await age(own, key, 1_000);
      expect(await take(own, key, 1_000, 100)).toMatchObject({ granted: 100 });
    }),
  );
});

it.each([0.01, 10])(
  'grants slots at its pace immediately, at %s a second, after the database clock was set back',
  (rate) =>
    atOneInstant(async (own) => {
      const key = randomUUID();
      await take(own, key, 1_000, rate);
      await age(own, key, -3_600_000);
      const granted = Math.max(1, horizonSeconds * rate);
      expect(await take(own, key, 1_000, rate)).toMatchObject({ granted, startInMs: 0 });
      expect(await take(own, key, 1_000, rate)).toMatchObject({ granted: 0 });
    })(),
);

it('keeps buckets apart', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  await take(em(), one, 1_000, 10);
  expect(await take(em(), other, 5, 10)).toMatchObject({ granted: 5 });
});

it('counts each email exactly across connections of several processes, at any rate', async () => {
  const rates = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0.3, max: 50, noNaN: true }));
  const asked = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 20, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(rates, asked, async (rate, wanted) => {
      const key = randomUUID();
      const startedAt = performance.now();
      const grants = await Promise.all(
        wanted.map((count, index) => take((others[index % 3]?.em ?? em()).fork(), key, count, rate)),
      );
      const elapsedSeconds = (performance.now() - startedAt) / 1000;
      const total = grants.reduce((sum, slots) => sum + slots.granted, 0);
      grants.forEach((slots, index) => {
        expect(slots.granted).toBeGreaterThanOrEqual(0);
        expect(slots.granted).toBeLessThanOrEqual(wanted[index] ?? 0);
        expect(slots.retryInMs).toBeGreaterThanOrEqual(50);
      });
      const most = Math.floor(rate * (burstSeconds + horizonSeconds + elapsedSeconds)) + 1;
      expect(total).toBeLessThanOrEqual(most);
      const all = wanted.reduce((sum, count) => sum + count, 0);
      const sureOf = Math.min(all, Math.floor(rate * (burstSeconds + horizonSeconds)));
      expect(total).toBeGreaterThanOrEqual(sureOf);
      // The row agrees: it has moved on by exactly the granted slots, give or take rounding to microseconds.
      const [row] = await sql<{ seconds: number }>(
        `select extract(epoch from next_free_at - now() + make_interval(secs => $2))::float8 as seconds
         from throttles where key = $1`,
        [key, burstSeconds],
      );
      const sinceStart = (performance.now() - startedAt) / 1000;
      expect(row?.seconds).toBeLessThanOrEqual(total / rate + 0.001);
      expect(row?.seconds).toBeGreaterThanOrEqual(total / rate - sinceStart - 0.001);
    }),
    { numRuns: 25 },
  );
});
