import fc from 'fast-check';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../../test/setup/clickhouse.ts';
import { eventTable } from '../tables/event.ts';
import { type EventInsertRow, eventRow, toEventLine } from '../testing/event-row.ts';
import {
  byInstantAndId,
  deliveriesOf,
  journalArbitrary,
  modelActivityStats,
  modelEventCounts,
} from '../testing/journal-model.ts';
import { activityStats, recentActivityCount } from './activity-stats.ts';
import { campaignLinks } from './campaign-links.ts';
import {
  activityFeed,
  type EventPageFilter,
  type EventPosition,
  type EventRow,
  eventPageSql,
  listEvents,
} from './event-listings.ts';
import { eventNames, listActivityTypes, mostEventNames } from './event-names.ts';
import { eventStats } from './event-stats.ts';

const clickhouse = useTestClickHouse();

async function store(rows: EventInsertRow[]): Promise<void> {
  await clickhouse.insert(eventTable, rows.map(toEventLine).join('\n'));
}

/** All pages of a listing, one after the other. */
async function everyPage(
  list: (page: { before?: EventPosition; limit: number }) => Promise<EventRow[]>,
  limit: number,
): Promise<EventRow[]> {
  const all: EventRow[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await list(last === undefined ? { limit } : { limit, before: last });
    expect(page.length).toBeLessThanOrEqual(limit);
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function expected(rows: EventInsertRow[], keep: (row: EventInsertRow) => boolean): EventRow[] {
  const found = rows.filter(keep).map(({ projectId: _, eventId, ...row }) => ({ id: eventId, ...row }));
  return byInstantAndId(found);
}

const start = new Date('2026-01-30T00:00:00.000Z');
const days = 4;
const everything = { startDate: start, endDate: new Date('2026-02-10T00:00:00.000Z') };

describe('every figure', () => {
  it('matches the journal, even with each row delivered three times in any order', async () => {
    const journal = fc.constant(undefined).chain(() => {
      const projectId = v7();
      return journalArbitrary(projectId, start, days).chain((rows) =>
        fc.record({
          projectId: fc.constant(projectId),
          rows: fc.constant(rows),
          deliveries: deliveriesOf(rows),
          limit: fc.integer({ min: 5, max: 30 }),
          from: fc.integer({ min: 0, max: days * 24 }),
          hours: fc.integer({ min: 0, max: days * 24 }),
        }),
      );
    });
    await fc.assert(
      fc.asyncProperty(journal, async ({ projectId, rows, deliveries, limit, from, hours }) => {
        for (const batch of deliveries) await store(batch);
        const startDate = new Date(start.getTime() + from * 3_600_000);
        const period = { projectId, startDate, endDate: new Date(startDate.getTime() + hours * 3_600_000) };
        const inPeriod = (row: EventInsertRow) =>
          row.occurredAt >= period.startDate && row.occurredAt <= period.endDate;

        const feed = await everyPage((page) => activityFeed(clickhouse, { projectId, ...page }), limit);
        expect(byInstantAndId(feed)).toEqual(expected(rows, (row) => row.activityType !== ''));
        const [contactId] = rows.map((row) => row.contactId);
        const types = ['email.opened', 'event.tracked'];
        const filter = { ...period, contactId: contactId ?? undefined, types };
        const filtered = await everyPage((page) => activityFeed(clickhouse, { ...filter, ...page }), limit);
        expect(byInstantAndId(filtered)).toEqual(
          expected(
            rows,
            (row) => inPeriod(row) && row.contactId === contactId && types.includes(row.activityType),
          ),
        );
        const named: EventPageFilter & { name: string } = { projectId, name: 'page viewed', limit };
        const list = await everyPage((page) => listEvents(clickhouse, { ...named, ...page }), limit);
        expect(byInstantAndId(list)).toEqual(expected(rows, (row) => row.name === 'page viewed'));

        for (const span of [period, { projectId, ...everything }]) {
          expect(await activityStats(clickhouse, span)).toEqual(modelActivityStats(rows, span));
          const stats = await eventStats(clickhouse, span);
          const model = modelEventCounts(rows, span);
          expect(stats.total).toBe(model.total);
          expect(stats.otherCount).toBe(0);
          expect(new Map(stats.byName.map(({ name, count }) => [name, count]))).toEqual(model.byName);
          const busy = stats.timeseries.filter(({ count }) => count > 0);
          expect(new Map(busy.map(({ date, count }) => [date, count]))).toEqual(model.byDay);
        }
        const recent = rows.filter((row) => row.activityType !== '' && row.occurredAt >= startDate);
        expect(await recentActivityCount(clickhouse, projectId, startDate)).toBe(recent.length);
        expect(await listActivityTypes(clickhouse, projectId)).toEqual(
          [...new Set(rows.map((row) => row.activityType))].filter((type) => type !== '').sort(),
        );
        const names = rows.filter((row) => row.kind !== 'activity').map((row) => row.name);
        expect(await eventNames(clickhouse, projectId)).toEqual([...new Set(names)].sort());
      }),
      { numRuns: 12 },
    );
  });
});

describe('a listing of events', () => {
  it('returns data as it was written', async () => {
    const projectId = v7();
    const data = {
      'a.b': 1,
      a: { b: null, '': [] },
      tab: '\t\n\\N"',
      big: 1e300,
      at: '2026-01-01T00:00:00Z',
      e: {},
    };
    await store([{ ...tracked(projectId), data }]);
    expect((await listEvents(clickhouse, { projectId, limit: 1 }))[0]?.data).toEqual(data);
  });

  it('is read backwards by the key from its position, so that it can stop at its limit', async () => {
    const explain = {
      name: 'explain',
      sql: `EXPLAIN indexes = 1 ${eventPageSql("activity_type != ''")}`,
      row: z.object({ explain: z.string() }),
    };
    const row = tracked(v7());
    await store([row]);
    const parameters = { projectId: row.projectId, contactId: '', limit: 50 };
    const [since, until] = ['2026-01-01 00:00:00.000', '2026-02-01 00:00:00.000'];
    const bounds = { since, until, beforeAt: until, beforeId: v7() };
    const lines = await clickhouse.query(explain, { ...parameters, ...bounds });
    const plan = lines.map((line) => line.explain).join('\n');
    expect(plan).toContain('Read type: InReverseOrder');
    expect(plan).not.toContain('LimitBy');
    expect(plan).toMatch(/PrimaryKey[\s│]+Keys:[\s│]+project_id[\s│]+occurred_at/);
    expect(plan).toContain('(occurred_at in (-Inf, ');
  });

  it('finds a row by its own instant as start and end', async () => {
    const row = tracked(v7());
    await store([row]);
    const at = { startDate: row.occurredAt, endDate: row.occurredAt };
    const found = await listEvents(clickhouse, { projectId: row.projectId, limit: 10, ...at });
    expect(found.map(({ id }) => id)).toEqual([row.eventId]);
    const period = { projectId: row.projectId, ...at };
    expect(await eventStats(clickhouse, period)).toMatchObject({ total: 1 });
    expect(await activityStats(clickhouse, period)).toMatchObject({ totalEvents: 1 });
  });

  it('shows nothing of another project', async () => {
    const row = tracked(v7());
    await store([row]);
    const projectId = v7();
    const filter = { projectId, contactId: row.contactId ?? undefined, limit: 10 };
    expect(await listEvents(clickhouse, filter)).toEqual([]);
    expect(await activityFeed(clickhouse, filter)).toEqual([]);
    expect(await eventNames(clickhouse, projectId)).toEqual([]);
    expect(await eventStats(clickhouse, { projectId, ...everything })).toMatchObject({
      total: 0,
      byName: [],
    });
  });

  it('treats a filter as a value, whatever it contains', async () => {
    const row = { ...tracked(v7()), name: "x' OR 1=1 --\t\\" };
    await store([row, { ...tracked(row.projectId), name: 'other' }]);
    const found = await listEvents(clickhouse, { projectId: row.projectId, name: row.name, limit: 10 });
    expect(found.map(({ name }) => name)).toEqual([row.name]);
    const contactId = "') OR 1=1 --";
    expect(await listEvents(clickhouse, { projectId: row.projectId, contactId, limit: 10 })).toEqual([]);
  });
});

it("counts each click on a campaign's links once, however often its row was stored", async () => {
  const [projectId, campaignId, emailId] = [v7(), v7(), v7()];
  const click = (link: string, own: Partial<EventInsertRow> = {}): EventInsertRow => ({
    ...tracked(projectId),
    ...{
      name: 'email.clicked',
      kind: 'emitted',
      activityType: 'email.clicked',
      campaignId,
      emailId,
      data: { link },
    },
    ...own,
  });
  const offer = 'https://example.com/offer';
  const clicks = [click(offer), click(offer), click(offer, { emailId: v7() }), click('https://example.com/')];
  const others = [click(offer, { campaignId: v7() }), click(offer, { projectId: v7() })];
  const opened = click(offer, { name: 'email.opened', activityType: 'email.opened' });
  // Parts that are not merged yet have the rows twice.
  await clickhouse.command('SYSTEM STOP MERGES event');
  await store([...clicks, ...others, opened]);
  await store(clicks);
  expect(await campaignLinks(clickhouse, { projectId, campaignId, since: start }, 10)).toEqual([
    { link: offer, clicks: 3, uniqueClicks: 2 },
    { link: 'https://example.com/', clicks: 1, uniqueClicks: 1 },
  ]);
  await clickhouse.command('SYSTEM START MERGES event');
});

it("names no token of a link to a recipient's own page, whatever the template appends", async () => {
  const [projectId, campaignId] = [v7(), v7()];
  const page = `https://example.com/mail/unsubscribe/${'Ab_-'.repeat(16)}`;
  const other = `${page}x`;
  const links = [
    ...['', '/', '?a=b', '#c', '&utm_source=news', '/?a=b', '.'].map((end) => page + end),
    other,
    page.replace('unsubscribe', 'view'),
  ];
  await store(
    links.map((link) => ({
      ...tracked(projectId),
      ...{ name: 'email.clicked', kind: 'emitted', activityType: 'email.clicked', campaignId },
      ...{ emailId: v7(), data: { link } },
    })),
  );
  expect(await campaignLinks(clickhouse, { projectId, campaignId, since: start }, 10)).toEqual([
    { link: '{{ unsubscribeUrl }}', clicks: 7, uniqueClicks: 7 },
    { link: other, clicks: 1, uniqueClicks: 1 },
    { link: '{{ viewUrl }}', clicks: 1, uniqueClicks: 1 },
  ]);
});

it('the names of events are listed up to the first ten thousand', async () => {
  const projectId = v7();
  const names = Array.from({ length: mostEventNames + 1 }, (_, index) => `e${10_000 + index}`);
  await store(names.map((name) => ({ ...tracked(projectId), name })));
  expect(await eventNames(clickhouse, projectId)).toEqual(names.slice(0, 10_000));
});

it('the statistics of events list the most frequent names, and count them all', async () => {
  const projectId = v7();
  const names = Array.from({ length: 130 }, (_, index) => `e${100 + index}`);
  const often = names.slice(20).flatMap((name) => [name, name]);
  await store([...names, ...often].map((name) => ({ ...tracked(projectId), name })));
  const stats = await eventStats(clickhouse, { projectId, ...everything });
  expect(stats.byName).toEqual(names.slice(20, 120).map((name) => ({ name, count: 3 })));
  expect(stats).toMatchObject({ total: 350, otherCount: 50 });
  expect(stats.timeseries.filter(({ count }) => count > 0)).toEqual([{ date: '2026-01-30', count: 350 }]);
});

function tracked(projectId: string): EventInsertRow {
  return eventRow(projectId, { occurredAt: new Date(start.getTime() + 12_345), name: 'page viewed' });
}
