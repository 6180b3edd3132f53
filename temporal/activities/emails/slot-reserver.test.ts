import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import type { OpenEmail } from '../../../db/statements/emails/find-open-emails.ts';
import { sql as run } from '../../../db/testing/sql.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import { openPool, useTestDatabase } from '../../../test/setup/database.ts';
import { reserveCampaignSlots } from '../campaigns/reserve-campaign-slots.ts';
import { createSlotReserver, type Reservation, waitTheirTurn } from './slot-reserver.ts';
import { openEmail } from './testing/open-email.ts';

const database = useTestDatabase(8);
const { em, sql } = database;
const others: Orm[] = [];
beforeAll(() => {
  for (let i = 0; i < 2; i += 1) {
    others.push(openPool(database.url, 8));
  }
});
afterAll(async () => {
  for (const orm of others) await orm.close();
});
beforeEach(async () => {
  await sql('truncate throttles, waiting_emails');
});

const emailsOf = (projectId: string, count: number) =>
  Array.from({ length: count }, () => openEmail({ projectId }));

/** Reserves like a new process, which has not counted projects yet. */
const reserve = (emails: OpenEmail[], rates: SendRates, on = em()) => createSlotReserver()(on, emails, rates);

const grantedOf = ({ granted }: Reservation, projectId: string) =>
  granted.filter(({ email }) => email.projectId === projectId);

/** A test during which no time passes: the clock of a transaction stands still. */
const atOneInstant = (test: (own: Em) => Promise<void>) => () => em().transactional(test);

/** Moves every bucket into the past, as if time had passed. */
const pass = (own: Em, seconds: number) =>
  run(own, 'update throttles set next_free_at = next_free_at - make_interval(secs => $1)', [seconds]);

const claimed = (own: Em, emails: readonly OpenEmail[]) =>
  run(own, 'delete from waiting_emails where email_id = any($1)', [emails.map(({ id }) => id)]);

describe('send slots of transactional email', () => {
  it('are all granted immediately without a limit', async () => {
    const emails = emailsOf(newId(), 300);
    const { granted, held } = await reserve(emails, { account: null, project: null });
    expect([granted.length, held.length, granted.at(-1)?.inMs]).toEqual([300, 0, 0]);
  });

  it('of an idle account cover slightly more than the last second, one per project in turn', async () => {
    const [one, other] = [newId(), newId()];
    const emails = [...emailsOf(one, 200), ...emailsOf(other, 30)];
    const slots = await reserve(emails, { account: 100, project: null });
    expect(grantedOf(slots, other)).toHaveLength(30);
    expect(grantedOf(slots, one)).toHaveLength(100);
    expect(slots.granted[99]?.inMs).toBe(0);
    expect(slots.granted.at(-1)?.inMs).toBeGreaterThan(200);
    expect(slots.granted.at(-1)?.inMs).toBeLessThan(300);
    expect(slots.held).toEqual(emails.slice(100, 200));
    expect(slots.retryInMs.get(one)).toBeGreaterThan(0);
  });

  it(
    'respect the limit of the project even without a limit of the account',
    atOneInstant(async (own) => {
      const [one, other] = [newId(), newId()];
      const rates = { account: null, project: 10 };
      const slots = await reserve([...emailsOf(one, 30), ...emailsOf(other, 3)], rates, own);
      expect([grantedOf(slots, one).length, grantedOf(slots, other).length]).toEqual([10, 3]);
      const both = await reserve(emailsOf(one, 300), { account: 1_000, project: 10 }, own);
      expect(both.granted).toHaveLength(10);
      expect(both.granted.at(-1)?.inMs).toBeGreaterThan(800);
    }),
  );
});

/**
 * Lets time pass in steps. In each step every batch reserves slots for its due emails, as runs would.
 * @returns the emails that left, by project, for each step
 */
async function play(
  own: Em,
  rates: SendRates,
  steps: number,
  arrivals: (step: number) => OpenEmail[][],
): Promise<Map<string, number>[]> {
  const batches: { emails: OpenEmail[]; at: number }[] = [];
  const left: Map<string, number>[] = [];
  const stepMs = 250;
  for (let step = 0; step < steps; step += 1) {
    for (const emails of arrivals(step)) batches.push({ emails, at: step });
    const now = new Map<string, number>();
    for (const batch of batches) {
      if (batch.emails.length === 0 || batch.at > step) continue;
      const slots = await reserve(batch.emails, rates, own);
      await claimed(
        own,
        slots.granted.map(({ email }) => email),
      );
      for (const { email } of slots.granted) now.set(email.projectId, (now.get(email.projectId) ?? 0) + 1);
      batch.emails = slots.held;
      if (slots.held.length === 0) continue;
      const waits = await waitTheirTurn(own, slots, rates);
      batch.at = step + Math.max(1, Math.round(Math.min(...waits.values()) / stepMs));
    }
    left.push(now);
    await pass(own, stepMs / 1000);
  }
  return left;
}

const total = (left: readonly Map<string, number>[], projectId: string) =>
  left.reduce((sum, now) => sum + (now.get(projectId) ?? 0), 0);

describe('a project with a backlog', () => {
  const rates = { account: 50, project: null };

  it(
    'books the account only shortly ahead, so that an email of another project leaves within a second',
    atOneInstant(async (own) => {
      const [loud, quiet] = [newId(), newId()];
      for (let step = 0; step < 20; step += 1) {
        for (let batch = 0; batch < 4; batch += 1) {
          const slots = await reserve(emailsOf(loud, 100), rates, own);
          if (slots.held.length > 0) await waitTheirTurn(own, slots, rates);
        }
        const { granted } = await reserve(emailsOf(quiet, 1), rates, own);
        expect(granted).toHaveLength(1);
        expect(granted[0]?.inMs).toBeLessThan(1_600);
        await pass(own, 0.25);
      }
    }),
  );

  it(
    'has the whole rate when it is alone, its oldest emails first',
    atOneInstant(async (own) => {
      const loud = newId();
      const batches = Array.from({ length: 40 }, () => emailsOf(loud, 100));
      const left = await play(own, rates, 120, (step) => (step === 0 ? batches : []));
      const seconds = 120 / 4;
      // Plus the second saved by an idle account.
      expect(total(left, loud)).toBeGreaterThan(0.9 * rates.account * seconds);
      const waiting = await run<{ id: string }>(
        own,
        'select email_id as id from waiting_emails order by 1 limit 1',
      );
      const oldest = batches.findIndex((emails) => emails.some(({ id }) => id === waiting[0]?.id));
      expect(oldest).toBeGreaterThan(10);
    }),
  );

  it(
    'shares the rate with other projects with a backlog',
    atOneInstant(async (own) => {
      const [one, other] = [newId(), newId()];
      const left = await play(own, rates, 80, (step) =>
        step === 0 ? [...Array.from({ length: 20 }, () => emailsOf(one, 100)), emailsOf(other, 1_000)] : [],
      );
      const settled = left.slice(12);
      const share = total(settled, other) / total(settled, one);
      expect(share).toBeGreaterThan(0.5);
      expect(share).toBeLessThan(2);
    }),
  );

  it(
    'starves no project, and is starved by none, even among very many',
    atOneInstant(async (own) => {
      const loud = newId();
      const many = Array.from({ length: 300 }, () => newId());
      const left = await play(own, { account: 50, project: null }, 100, (step) => {
        if (step === 0) return Array.from({ length: 10 }, () => emailsOf(loud, 100));
        // A few emails of each of very many projects, in batches as they arrive: more than the account can send in that
        // time.
        if (step === 4) {
          return Array.from({ length: 9 }, (_, batch) =>
            many.filter((_, index) => index % 9 === batch).flatMap((project) => emailsOf(project, 3)),
          );
        }
        return [];
      });
      const ofMany = many.map((project) => total(left, project));
      expect(Math.min(...ofMany)).toBeGreaterThanOrEqual(1);
      expect(total(left.slice(4), loud)).toBeGreaterThan(0);
    }),
  );

  it('retries when the emails before it should have left, at most two minutes later, or a little more far from their turn', async () => {
    const loud = newId();
    const held = emailsOf(loud, 12_000);
    const nothing = { granted: [], held: held.slice(0, 11_500), retryInMs: new Map([[loud, 200]]) };
    await waitTheirTurn(em(), nothing, rates);
    const first = await waitTheirTurn(em(), { ...nothing, held: held.slice(0, 100) }, rates);
    expect(first.get(held[0]?.id ?? '')).toBeLessThan(250);
    const near = await waitTheirTurn(em(), { ...nothing, held: held.slice(1_000, 1_100) }, rates);
    expect(near.get(held[1_000]?.id ?? '')).toBeGreaterThan(17_000);
    expect(near.get(held[1_000]?.id ?? '')).toBeLessThan(23_000);
    const last = await waitTheirTurn(em(), { ...nothing, held: held.slice(11_500) }, rates);
    expect(last.get(held[11_500]?.id ?? '')).toBeGreaterThan(179_000);
    expect(last.get(held[11_500]?.id ?? '')).toBeLessThanOrEqual(242_000);
    const middle = await waitTheirTurn(em(), { ...nothing, held: held.slice(9_000, 9_100) }, rates);
    expect(middle.get(held[9_000]?.id ?? '')).toBeGreaterThan(100_000);
    expect(middle.get(held[9_000]?.id ?? '')).toBeLessThanOrEqual(132_000);
  });
});

it(
  'campaigns leave it a tenth of the rate, and it waits behind none of them',
  atOneInstant(async (own) => {
    const rates = { account: 100, project: null };
    for (let second = 0; second < 5; second += 1) {
      while ((await reserveCampaignSlots(own, newId(), 500, rates)).granted > 0);
      const { granted } = await reserve(emailsOf(newId(), 5), rates, own);
      expect(granted).toHaveLength(5);
      expect(granted.at(-1)?.inMs).toBeLessThan(1_300);
      await pass(own, 1);
    }
  }),
);

it('never grants more than the account allows, to any number of projects and processes', async () => {
  const asked = fc.array(
    fc.array(
      fc.record({ project: fc.integer({ min: 0, max: 5 }), emails: fc.integer({ min: 1, max: 40 }) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    { minLength: 10, maxLength: 30 },
  );
  const rateOf = fc.record({
    account: fc.integer({ min: 1, max: 300 }),
    project: fc.option(fc.integer({ min: 1, max: 100 })),
  });
  await fc.assert(
    fc.asyncProperty(rateOf, asked, async (rates, requests) => {
      await sql('truncate throttles, waiting_emails');
      const projects = Array.from({ length: 6 }, () => newId());
      const startedAt = performance.now();
      const slots = await Promise.all(
        requests.map(async (request, index) => {
          const emails = request.flatMap(({ project, emails }) => emailsOf(projects[project] ?? '', emails));
          const own = ([database.orm, ...others][index % 3] ?? database.orm).em.fork();
          const reservation = await reserve(emails, rates, own);
          expect(reservation.granted.length + reservation.held.length).toBe(emails.length);
          if (index % 2 === 0 && reservation.held.length > 0) await waitTheirTurn(own, reservation, rates);
          return { reservation, at: performance.now() - startedAt };
        }),
      );
      const seconds = (performance.now() - startedAt) / 1000;
      const count = slots.reduce((sum, { reservation }) => sum + reservation.granted.length, 0);
      expect(count).toBeLessThanOrEqual(Math.floor(rates.account * (1 + 5 + seconds)) + 1);
      // Every email that leaves has moved the account's bucket.
      const [row] = await sql<{ seconds: number }>(
        `select extract(epoch from next_free_at - now() + interval '1 second')::float8 as seconds
         from throttles where key = 'account'`,
      );
      const sinceStart = (performance.now() - startedAt) / 1000;
      expect(row?.seconds).toBeLessThanOrEqual(count / rates.account + 0.001);
      expect(row?.seconds).toBeGreaterThanOrEqual(count / rates.account - sinceStart - 0.001);
      if (rates.project === null) return;
      for (const project of projects) {
        const own = slots.reduce((sum, { reservation }) => sum + grantedOf(reservation, project).length, 0);
        expect(own).toBeLessThanOrEqual(Math.floor(rates.project * (1 + 5 + sinceStart)) + 1);
      }
    }),
    { numRuns: 25 },
  );
});
