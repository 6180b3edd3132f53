import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createOrm } from '../../db/orm.ts';
import { sweepRateLimitWindows } from '../../db/statements/access/lease-requests.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createTestProject, startTestApi } from '../../test/setup/start-test-api.ts';
import { minuteMs, withinOne } from '../../test/setup/within-one.ts';
import { defineRoute } from '../edge/define-route.ts';
import { addressSubject } from './address-subject.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

const database = useTestDatabase();
const { em, sql } = database;

const withinOneMinute = (attempt: () => Promise<void>) => () => withinOne(minuteMs, attempt);

const limiter = (limit: number) => createRateLimiter(em(), limit);

async function takeMany(limiters: readonly RateLimiter[], subject: string, times: number): Promise<number> {
  const states = await Promise.all(
    Array.from({ length: times }, (_, index) => limiters[index % limiters.length]?.take(subject)),
  );
  return states.filter((state) => state?.allowed).length;
}

describe('the rate limit', () => {
  it(
    'lets exactly the limit through one process, one after another',
    withinOneMinute(async () => {
      const [subject, one] = [uuidv7(), limiter(50)];
      const remaining: number[] = [];
      for (let index = 0; index < 60; index += 1) {
        const state = await one.take(subject);
        expect(state.allowed).toBe(index < 50);
        expect(state.resetSeconds).toBeGreaterThan(0);
        expect(state.resetSeconds).toBeLessThanOrEqual(60);
        remaining.push(state.remaining);
      }
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => Math.max(0, 49 - index)));
    }),
  );

  it(
    'lets exactly the limit through one process, all at once',
    withinOneMinute(async () => {
      expect(await takeMany([limiter(100)], uuidv7(), 500)).toBe(100);
    }),
  );

  it(
    'never lets more than the limit through several processes, and all of it when they are all used',
    withinOneMinute(async () => {
      const [subject, processes] = [uuidv7(), [limiter(300), limiter(300), limiter(300), limiter(300)]];
      let passed = 0;
      for (let round = 0; round < 20; round += 1) passed += await takeMany(processes, subject, 40);
      expect(passed).toBe(300);
    }),
  );

  it(
    'loses at most as much as a process has used itself when it falls silent',
    withinOneMinute(async () => {
      const [subject, quiet, busy] = [uuidv7(), limiter(1000), limiter(1000)];
      expect(await takeMany([quiet], subject, 20)).toBe(20);
      for (let index = 0; index < 5; index += 1) await quiet.take(subject);
      const passed = await takeMany([busy], subject, 1200);
      expect(passed).toBeGreaterThanOrEqual(1000 - 25 - 25);
      expect(passed).toBeLessThanOrEqual(1000 - 25);
    }),
  );

  it(
    'leases smaller slices towards the end, so that others get the rest',
    withinOneMinute(async () => {
      const [subject, quiet, busy] = [uuidv7(), limiter(1000), limiter(1000)];
      for (let index = 0; index < 600; index += 1) await quiet.take(subject);
      const passed = await takeMany([busy], subject, 1000);
      expect(passed).toBeGreaterThan(400 - 1000 / 8);
      expect(passed).toBeLessThanOrEqual(400);
    }),
  );

  it(
    'rarely asks the database while the budget is large',
    withinOneMinute(async () => {
      const [subject, one] = [uuidv7(), limiter(1_000_000)];
      let asked = 0;
      for (let index = 0; index < 20_000; index += 1) {
        const state = one.take(subject);
        if (state instanceof Promise) asked += 1;
        await state;
      }
      expect(asked).toBeLessThan(20);
    }),
  );

  it(
    'counts subjects separately',
    withinOneMinute(async () => {
      const [one, other, both] = [uuidv7(), uuidv7(), limiter(5)];
      expect(await takeMany([both], one, 10)).toBe(5);
      expect(await takeMany([both], other, 10)).toBe(5);
    }),
  );

  it(
    'allows requests again in the next minute of the database clock',
    withinOneMinute(async () => {
      const [subject, one] = [uuidv7(), limiter(3)];
      expect(await takeMany([one], subject, 5)).toBe(3);
      // As if that minute were over; a process that starts now knows nothing of it.
      await sql(
        `update rate_limit_windows set window_start = window_start - interval '10 minutes' where subject = $1`,
        [subject],
      );
      expect(await takeMany([limiter(3)], subject, 5)).toBe(3);
      await sweepRateLimitWindows(em());
      const rows = await sql('select 1 from rate_limit_windows where subject = $1', [subject]);
      expect(rows).toHaveLength(1);
    }),
  );

  it('passes a failure to everyone who waits, and works again afterwards', async () => {
    const orm = createOrm({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 2, warn: () => undefined });
    const one = createRateLimiter(orm.em.fork(), 5);
    const results = await Promise.allSettled([one.take('x'), one.take('x')]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    await expect(one.take('x')).rejects.toThrow();
    await orm.close();
  });
});

describe('the rate limit over HTTP', () => {
  const route = defineRoute('GET /ping', {
    auth: 'secretKey',
    tags: ['Test'],
    summary: 'Ping',
    responses: { 200: { description: 'Pong', schema: z.object({}) } },
    handler(ctx) {
      ctx.body = {};
    },
  });
  const open = defineRoute('GET /auth/ping', {
    auth: 'none',
    limitByAddress: true,
    tags: ['Test'],
    summary: 'Ping',
    responses: { 200: { description: 'Pong', schema: z.object({}) } },
    handler(ctx) {
      ctx.body = {};
    },
  });

  it(
    'reports in headers what is left, and answers 429 with Retry-After when nothing is',
    withinOneMinute(async () => {
      const environment = { API_RATE_LIMIT_PER_MINUTE: '2' };
      const api = await startTestApi({ database, routes: [route], services: null, environment });
      const { secretKey: key } = await createTestProject(database);
      const answers = [];
      for (let index = 0; index < 3; index += 1) answers.push(await api.request('/ping', { key }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(answers.map(({ headers }) => headers.get('RateLimit-Remaining'))).toEqual(['1', '0', '0']);
      expect(answers.map(({ headers }) => headers.get('RateLimit-Limit'))).toEqual(['2', '2', '2']);
      expect(answers.map(({ headers }) => headers.get('Retry-After') !== null)).toEqual([false, false, true]);
      expect(answers[2]?.headers.get('Retry-After')).toBe(answers[2]?.headers.get('RateLimit-Reset'));
      expect(answers[2]?.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
      const { body: metrics } = await api.request('/metrics');
      expect(metrics).toContain('posthaste_http_rate_limited_total{route="/ping"} 1');
      await api.close();
    }),
  );

  it('is off at 0', async () => {
    const environment = { API_RATE_LIMIT_PER_MINUTE: '0' };
    const api = await startTestApi({ database, routes: [route], services: null, environment });
    const { secretKey: key } = await createTestProject(database);
    const { status, headers } = await api.request('/ping', { key });
    expect([status, headers.get('RateLimit-Limit')]).toEqual([200, null]);
    await api.close();
  });

  it(
    'counts sign-ins by address, and trusts a proxy only when told to',
    withinOneMinute(async () => {
      const ask = async (environment: Record<string, string>, forwarded: string[]) => {
        const api = await startTestApi({ database, routes: [open], services: null, environment });
        const statuses = [];
        for (const address of forwarded) {
          statuses.push(
            (await api.request('/auth/ping', { headers: { 'X-Forwarded-For': address } })).status,
          );
        }
        await api.close();
        return statuses;
      };
      // Removes what an earlier attempt has used.
      await sql('delete from rate_limit_windows');
      const spoofed = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
      expect(await ask({ AUTH_RATE_LIMIT_PER_MINUTE: '2' }, spoofed)).toEqual([200, 200, 429]);
      const behindProxy = { AUTH_RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: 'true' };
      expect(await ask(behindProxy, ['203.0.113.1', '203.0.113.2', '203.0.113.3'])).toEqual([200, 200, 200]);
      expect(
        await ask(behindProxy, ['1.1.1.1, 203.0.113.9', '2.2.2.2, 203.0.113.9', '3.3.3.3, 203.0.113.9']),
      ).toEqual([200, 200, 429]);
    }),
  );
});

describe('the rate limit subject of a client address', () => {
  it.each([
    ['203.0.113.9', 'address 203.0.113.9'],
    ['::ffff:203.0.113.9', 'address 203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', 'address 2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', 'address 2001:db8:1:2::/64'],
    ['::1', 'address 0:0:0:0::/64'],
    ['2001:db8::9', 'address 2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'address fe80:0:0:0::/64'],
    ['203.0.113.9:52814', 'address 203.0.113.9'],
    ['[2001:db8:1:2::9]:52814', 'address 2001:db8:1:2::/64'],
    ['no address', 'address unknown'],
    ['', 'address unknown'],
  ])('%s → %s', (address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });
});
