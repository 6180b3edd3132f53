import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectClickHouse } from '../analytics/clickhouse.ts';
import { countColumn } from '../analytics/client/question.ts';
import { eventTable } from '../analytics/tables/event.ts';
import { activityTypes } from '../core/activity-types.ts';
import { connectStreamer } from '../journal/connection.ts';
import { journalStart, readBatch } from '../journal/read-batch.ts';
import {
  campaignId,
  endpoints,
  fixed,
  front,
  restartClickHouse,
  sender,
  stack,
  useAnalyticsStage,
} from './setup/analytics-stage.ts';
import { eventually } from './setup/eventually.ts';
import { createTestSender } from './setup/sender.ts';
import { createTestSubscriber, visitPage } from './setup/subscribers.ts';
import { addStep, createWorkflow } from './setup/workflows.ts';

useAnalyticsStage();

/** The routes of lists, as metrics name them, that answer 503. */
async function unavailableRoutes(): Promise<string[]> {
  const { body: document } = await sender.get('/openapi.json');
  const paths = Object.entries<object>(document.paths).filter(([, methods]) => 'get' in methods);
  const routes = await Promise.all(
    paths.map(async ([path]) => {
      const { status } = await fetch(`${stack.url}${path.replace('{id}', campaignId)}`, {
        headers: { Authorization: `Bearer ${sender.secretKey}` },
      });
      return status === 503 ? [path.replace('{id}', ':id')] : [];
    }),
  );
  return routes.flat();
}

/** The routes whose 503 does not trigger the alert. */
function leftOutByAlert(): RegExp {
  const [, routes] =
    /status="503",route=~"([^"]+)"/.exec(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) ?? [];
  return new RegExp(`^(?:${routes})$`);
}

describe('analytics', () => {
  it('reports the same figures for a campaign as the campaign itself', async () => {
    const whole = (body: {
      clickedCount: number;
      bouncedCount: number;
      complainedCount: number;
      unsubscribedCount: number;
    }) =>
      body.clickedCount === 2 &&
      body.bouncedCount === 1 &&
      body.complainedCount === 1 &&
      body.unsubscribedCount === 1;
    const { body: own } = await eventually(
      () => sender.get(`/campaigns/${campaignId}/stats`),
      ({ body }) =>
        whole(body) && body.openedCount === 4 && body.sentCount === 7 && body.deliveredCount === 6,
    );
    const { totalRecipients: _, ...figures } = own;
    // Both catch up in the background: ClickHouse reads the journal, and the campaign counts its last email.
    const { body } = await eventually(
      () => sender.get('/analytics/campaign-stats'),
      ({ body: found }) => isDeepStrictEqual(found.totals, figures) && found.data[0]?.status === 'SENT',
    );
    expect(body.totals).toEqual(figures);
    expect(body.data).toEqual([
      {
        id: campaignId,
        name: 'News',
        subject: 'News',
        status: 'SENT',
        sentAt: expect.any(String),
        ...figures,
      },
    ]);
    for (const metric of ['opens', 'clicks', 'sent']) {
      expect((await sender.get(`/analytics/top-campaigns?metric=${metric}`)).body.data).toEqual(body.data);
    }
  });

  it('reports the outcomes of one campaign by hour', async () => {
    const { body: stats } = await sender.get(`/campaigns/${campaignId}/stats`);
    const { body } = await sender.get(`/analytics/timeseries?interval=hour&campaignId=${campaignId}`);
    for (const name of ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed']) {
      const sum = body.data.reduce(
        (total: number, bucket: Record<string, number>) => total + (bucket[name] ?? 0),
        0,
      );
      expect({ [name]: sum }).toEqual({ [name]: stats[`${name}Count`] });
    }
    const none = await sender.get(`/analytics/timeseries?campaignId=${randomUUID()}`);
    expect(none.body.data.every(({ sent }: { sent: number }) => sent === 0)).toBe(true);
  });

  it('adds up over hours and days, including empty ones', async () => {
    const { body: stats } = await sender.get('/activity/stats');
    for (const [interval, length] of [
      ['day', 31],
      ['hour', 721],
    ] as const) {
      const { body } = await sender.get(`/analytics/timeseries?interval=${interval}`);
      expect(body.data).toHaveLength(length);
      for (const name of ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained']) {
        const sum = body.data.reduce(
          (total: number, bucket: Record<string, number>) => total + (bucket[name] ?? 0),
          0,
        );
        expect({ [name]: sum }).toEqual({ [name]: stats[name] });
      }
      expect(body.data.filter((bucket: { unsubscribed: number }) => bucket.unsubscribed === 1)).toHaveLength(
        1,
      );
    }
    const days = (await sender.get('/analytics/timeseries?startDate=2024-02-28&endDate=2024-03-01')).body
      .data;
    expect(days.map((day: { date: string }) => day.date)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    const hours = await sender.get(
      '/analytics/timeseries?interval=hour&startDate=2024-02-28T22:30:00Z&endDate=2024-02-29T00:00:00Z',
    );
    expect(hours.body.data.map((hour: { date: string }) => hour.date)).toEqual([
      '2024-02-28T22:00:00.000Z',
      '2024-02-28T23:00:00.000Z',
      '2024-02-29T00:00:00.000Z',
    ]);
  });

  it('ranks events by how often they happen, beside the time before', async () => {
    const { body } = await eventually(
      () => sender.get('/analytics/top-events?limit=100'),
      ({ body: found }) => found.some((event: { name: string }) => event.name === 'page viewed'),
    );
    const named = new Map(body.map((event: { name: string }) => [event.name, event]));
    expect(named.get('order placed')).toEqual({ name: 'order placed', count: 2, previousCount: 0 });
    expect(body[0]).toEqual({ name: 'email.sent', count: 7, previousCount: 0 });
    const later = new Date(Date.now() + 60_000);
    const last = new Date(later.getTime() - 1_000);
    const nothing = `startDate=${last.toISOString()}&endDate=${later.toISOString()}`;
    expect((await sender.get(`/analytics/top-events?${nothing}`)).body).toEqual([]);
    expect((await sender.get('/analytics/top-events?limit=1')).body).toHaveLength(1);
  });

  it('shows every type of activity, page by page', async () => {
    const ben = (await sender.post('/contacts', { email: 'ben@example.com', subscribed: false })).body.id;
    await sender.patch(`/contacts/${ben}`, { subscribed: true });
    const reader = await createTestSubscriber(stack, sender);
    await visitPage(`${stack.url}${reader.path('manage')}`, { snooze: '2-weeks' });
    const draft = await sender.post(`/campaigns/${campaignId}/duplicate`, {});
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await sender.post(`/campaigns/${draft.body.data.id}/send`, { scheduledFor: inAnHour });
    const workflow = await createWorkflow(sender, { eventName: 'signed up' });
    await addStep(sender, workflow.id, { type: 'EXIT', config: {}, autoConnect: workflow.steps[0].id });
    await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
    await sender.post('/v1/track', { email: 'ben@example.com', event: 'signed up' });

    // No other test of this file receives emails.
    const expected = activityTypes.filter((type) => type !== 'email.received').toSorted();
    await eventually(
      () => sender.get('/activity/types'),
      ({ body }) => body.types.length >= expected.length,
    );
    expect((await sender.get('/activity/types')).body.types).toEqual(expected);
    const { body: whole } = await sender.get('/activity?limit=100');
    expect(whole).toMatchObject({ cursor: null, hasMore: false });
    const paged = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await sender.get(`/activity?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...body.data);
      expect(body.hasMore).toBe(body.cursor !== null);
      cursor = body.cursor;
    }
    expect(paged).toEqual(whole.data);
    const at = whole.data.map((row: { timestamp: string }) => row.timestamp);
    expect(at).toEqual(at.toSorted().reverse());
    for (const type of expected) {
      const { body } = await sender.get(`/activity?types=${type}`);
      expect(body.data).toEqual(whole.data.filter((row: { type: string }) => row.type === type));
      expect(body.data.length).toBeGreaterThan(0);
    }
    const { body: own } = await sender.get(`/activity?contactId=${ben}`);
    expect(own.data.map((row: { type: string }) => row.type)).toEqual(
      expect.arrayContaining(['contact.subscribed', 'event.tracked', 'workflow.started']),
    );
    expect(own.data).toEqual(whole.data.filter((row: { contactId: string }) => row.contactId === ben));
    const { body: upcoming } = await sender.get('/activity/upcoming');
    expect(upcoming.data[0]).toMatchObject({ type: 'campaign.scheduled', timestamp: inAnHour });
  });

  it('answers the same however often and in whatever order journal rows arrive', async () => {
    const at = fixed();
    const paths = endpoints.map(at);
    const ask = async () => {
      const answers = await Promise.all(paths.map((one) => sender.get(one)));
      for (const [index, { status }] of answers.entries())
        expect([paths[index], status]).toEqual([paths[index], 200]);
      return new Map(answers.map(({ body }, index) => [paths[index], body]));
    };
    const client = await connectStreamer(stack.database.url);
    const { lines } = await readBatch(client, journalStart, 10_000);
    await client.end();
    const rows = lines.split('\n');
    const clickhouse = connectClickHouse({
      url: front.url,
      username: 'default',
      password: '',
      database: 'posthaste',
    });
    const delivered = {
      name: 'delivered',
      sql: 'SELECT uniqExact(event_id) AS n FROM event',
      row: z.object({ n: countColumn }),
    };
    await eventually(
      () => clickhouse.query(delivered, {}),
      ([found]) => (found?.n ?? 0) >= rows.length,
    );
    const before = await ask();
    const tripled = [...rows, ...rows, ...rows].map((_, index) => index % rows.length);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(tripled, { minLength: tripled.length }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (order, sizes) => {
          for (let first = 0, n = 0; first < order.length; n += 1) {
            const size = sizes[n % sizes.length] ?? 1;
            const batch = order.slice(first, first + size).map((index) => rows[index]);
            await clickhouse.insert(eventTable, batch.join('\n'));
            first += size;
          }
          expect(await ask()).toEqual(before);
        },
      ),
      { numRuns: 1 },
    );
    await clickhouse.close();
  });

  it('treats hostile names, dates, time zones and limits as values', async () => {
    const names = [
      `x') OR 1=1 --`,
      `'; DROP TABLE event; --`,
      `\\'; TRUNCATE TABLE figure --`,
      '{projectId:UUID}',
      '%27 UNION ALL SELECT 1 --',
      'tab\\t\\N 😀 é',
    ];
    const other = await createTestSender(stack.url);
    for (const name of names) {
      expect((await other.post('/v1/track', { email: 'ann@example.com', event: name })).status).toBe(200);
    }
    const { body } = await eventually(
      () => other.get('/analytics/top-events'),
      ({ body: found }) => found.length === names.length,
    );
    expect(body.map((event: { name: string }) => event.name).toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const { body: page } = await other.get(`/events?name=${encodeURIComponent(name)}`);
      expect(page.data.map((event: { name: string }) => event.name)).toEqual([name]);
    }
    const value = encodeURIComponent(names.join(' '));
    for (const parameter of [
      'interval',
      'startDate',
      'limit',
      'metric',
      'types',
      'contactId',
      'minutes',
      'cursor',
    ]) {
      for (const endpoint of [
        '/analytics/timeseries',
        '/analytics/top-campaigns',
        '/activity',
        '/activity/recent-count',
      ]) {
        const { status } = await other.get(`${endpoint}?${parameter}=${value}`);
        expect([200, 400, 422]).toContain(status);
      }
    }
    const { body: sameSeries } = await other.get(`/analytics/timeseries?timezone=${value}&tz=${value}`);
    expect(sameSeries).toEqual((await other.get('/analytics/timeseries')).body);
    for (const [endpoint, query] of [
      ['/analytics/timeseries', 'interval=week'],
      ['/analytics/timeseries', 'startDate=yesterday'],
      ['/analytics/timeseries', 'endDate=2026-01-01T00:00:00%2B99:99'],
      ['/analytics/top-events', 'limit=0'],
      ['/analytics/campaign-stats', 'limit=-1'],
      ['/analytics/top-campaigns', 'limit=1.5'],
    ]) {
      const { status } = await other.get(`${endpoint}?${query}`);
      expect([endpoint, query, status]).toEqual([endpoint, query, 422]);
    }
    expect((await other.get('/analytics/top-campaigns?metric=bounces')).status).toBe(422);
    expect((await other.get('/analytics/top-events?limit=1000000')).status).toBe(200);
    expect((await other.get('/analytics/timeseries?startDate=2026-02-01&endDate=2026-01-01')).status).toBe(
      400,
    );
    expect((await other.get('/activity?startDate=2026-02-01&endDate=2026-01-01')).status).toBe(400);
    const long = await other.get('/analytics/timeseries?interval=hour&startDate=1970-01-01');
    expect(long.status).toBe(400);
    expect(long.body.error.message).toContain('25000 buckets');
    expect((await other.get('/analytics/top-events')).body).toHaveLength(names.length);
  });

  it.each([
    '/activity',
    '/activity/stats',
    '/events/stats',
    '/analytics/timeseries',
    '/analytics/top-campaigns',
    '/analytics/campaign-stats',
    '/analytics/top-events',
  ])('takes any date that there is: %s', async (endpoint) => {
    const first = '-271821-04-20T00:00:00.000Z';
    const last = encodeURIComponent('+275760-09-13T00:00:00.000Z');
    for (const query of [`startDate=${first}`, `endDate=${first}`, `startDate=${last}&endDate=${last}`]) {
      expect([query, (await sender.get(`${endpoint}?${query}`)).status]).toEqual([query, 200]);
    }
  });

  it('is unavailable while ClickHouse is down; everything else works', async () => {
    await front.kill();
    for (const endpoint of endpoints) {
      const { status, body } = await sender.get(endpoint);
      expect([endpoint, status, body.error?.code]).toEqual([endpoint, 503, 'SERVICE_UNAVAILABLE']);
      expect(body.error.message).toBe('Analytics is not available right now');
    }
    const unavailable = await unavailableRoutes();
    expect(unavailable).toContain('/campaigns/:id/links');
    expect(unavailable.filter((route) => !leftOutByAlert().test(route))).toEqual([]);
    expect((await sender.get('/activity/upcoming')).status).toBe(200);
    expect((await sender.get(`/campaigns/${campaignId}/stats`)).body.sentCount).toBe(7);
    const email = {
      to: 'ann@example.com',
      from: `a@${sender.domain}`,
      subject: 'Hello',
      body: '<p>Hello</p>',
    };
    expect((await sender.post('/v1/send', email)).status).toBe(200);
    const tracked = await sender.post('/v1/track', { email: 'ann@example.com', event: 'while away' });
    expect(tracked.status).toBe(200);
    await restartClickHouse();
    await eventually(
      () => sender.get('/analytics/top-events?limit=100'),
      ({ status, body }) =>
        status === 200 && body.some((event: { name: string }) => event.name === 'while away'),
    );
  });
});
