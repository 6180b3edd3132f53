import fc from 'fast-check';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../../test/setup/clickhouse.ts';
import { zeroUuid } from '../client/question.ts';
import { eventTable } from '../tables/event.ts';
import { type EventInsertRow, toEventLine } from '../testing/event-row.ts';
import { deliveriesOf, journalArbitrary, modelEventCounts, modelFigures } from '../testing/journal-model.ts';
import { activityStats } from './activity-stats.ts';
import { type CampaignRanking, campaignFigures, topCampaigns } from './campaign-figures.ts';
import { noEmails } from './figures.ts';
import type { ProjectPeriod } from './period.ts';
import { timeseries } from './timeseries.ts';
import { topEvents } from './top-events.ts';

const clickhouse = useTestClickHouse();

async function store(rows: EventInsertRow[]): Promise<void> {
  await clickhouse.insert(eventTable, rows.map(toEventLine).join('\n'));
}

const hourMs = 3_600_000;
const start = new Date('2026-01-30T00:00:00.000Z');
const days = 4;

/** A journal, how it arrives, and a period anywhere within it. */
const deliveredJournal = fc.constant(undefined).chain(() => {
  const projectId = v7();
  return journalArbitrary(projectId, start, days).chain((rows) =>
    fc.record({
      projectId: fc.constant(projectId),
      rows: fc.constant(rows),
      deliveries: deliveriesOf(rows),
      from: fc.integer({ min: 0, max: days * 24 }),
      hours: fc.integer({ min: 0, max: days * 24 }),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  );
});

function campaignModel(rows: EventInsertRow[], period: { startDate: Date; endDate: Date }) {
  const figures = (own: EventInsertRow[]) => {
    const { optedOut, unsubscribed: _, ...rest } = modelFigures(own, period);
    return { ...rest, unsubscribed: optedOut };
  };
  const ids = [...new Set(rows.flatMap((row) => row.campaignId ?? []))].sort().reverse();
  const campaigns = ids
    .map((id) => ({ campaignId: id, ...figures(rows.filter((row) => row.campaignId === id)) }))
    .filter(({ campaignId: _, ...counts }) => Object.values(counts).some((count) => count > 0));
  return { campaigns, totals: figures(rows.filter((row) => row.campaignId !== null)) };
}

async function expectTimeseries(rows: EventInsertRow[], period: ProjectPeriod): Promise<void> {
  for (const interval of ['hour', 'day'] as const) {
    const bucketMs = interval === 'hour' ? hourMs : 24 * hourMs;
    const bucketOf = (instant: Date) => Math.floor(instant.getTime() / bucketMs);
    const series = await timeseries(clickhouse, period, interval);
    expect(series.length).toBe(bucketOf(period.endDate) - bucketOf(period.startDate) + 1);
    for (const [index, { date, ...figures }] of series.entries()) {
      const bucket = bucketOf(period.startDate) + index;
      const at = new Date(bucket * bucketMs).toISOString();
      expect(date).toBe(interval === 'hour' ? at : at.slice(0, 10));
      const { optedOut: _, ...expected } = modelFigures(
        rows.filter((row) => bucketOf(row.occurredAt) === bucket),
        period,
      );
      expect(figures).toEqual(expected);
    }
    const ofNone = await timeseries(clickhouse, period, interval, zeroUuid);
    expect(ofNone).toEqual(series.map(({ date }) => ({ date, ...noEmails, unsubscribed: 0 })));
    const stats = await activityStats(clickhouse, period);
    for (const name of ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const) {
      expect(series.reduce((sum, bucket) => sum + bucket[name], 0)).toBe(stats[name]);
    }
  }
}

async function expectCampaigns(rows: EventInsertRow[], period: ProjectPeriod, limit: number): Promise<void> {
  const { campaigns, totals } = campaignModel(rows, period);
  const found = await campaignFigures(clickhouse, period, limit);
  expect(found.totals).toEqual(totals);
  expect(found.campaigns).toEqual(campaigns.slice(0, limit));
  const rankings: [CampaignRanking, 'opened' | 'clicked' | 'sent'][] = [
    ['opens', 'opened'],
    ['clicks', 'clicked'],
    ['sent', 'sent'],
  ];
  for (const [ranking, figure] of rankings) {
    const ranked = campaigns.toSorted((a, b) => b[figure] - a[figure]);
    expect(await topCampaigns(clickhouse, period, ranking, limit)).toEqual(ranked.slice(0, limit));
  }
}

async function expectTopEvents(rows: EventInsertRow[], period: ProjectPeriod, limit: number): Promise<void> {
  const { startDate, endDate } = period;
  const before = {
    startDate: new Date(2 * startDate.getTime() - endDate.getTime()),
    endDate: new Date(startDate.getTime() - 1),
  };
  const previous = modelEventCounts(rows, before).byName;
  const top = [...modelEventCounts(rows, period).byName]
    .map(([name, count]) => ({ name, count, previousCount: previous.get(name) ?? 0 }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  expect(await topEvents(clickhouse, period, limit)).toEqual(top.slice(0, limit));
}

describe('every chart', () => {
  it('matches the journal, even with each row delivered three times in any order', async () => {
    await fc.assert(
      fc.asyncProperty(deliveredJournal, async ({ projectId, rows, deliveries, from, hours, limit }) => {
        for (const batch of deliveries) await store(batch);
        const startDate = new Date(start.getTime() + from * hourMs);
        const period = { projectId, startDate, endDate: new Date(startDate.getTime() + hours * hourMs) };
        await expectTimeseries(rows, period);
        await expectCampaigns(rows, period, limit);
        await expectTopEvents(rows, period, limit);
      }),
      { numRuns: 10 },
    );
  });

  it.each(['figure', 'event'])('reads only the project and the period of %s, by the key', async (table) => {
    const plan = await clickhouse.query(
      {
        name: 'explain',
        sql: `EXPLAIN indexes = 1 SELECT count() FROM ${table} FINAL
          WHERE project_id = {projectId:UUID} AND occurred_at >= {since:DateTime64(3, 'UTC')}`,
        row: z.object({ explain: z.string() }),
      },
      { projectId: v7(), since: '2026-01-30 00:00:00.000' },
    );
    const text = plan.map((line) => line.explain).join('\n');
    expect(text).toMatch(/PrimaryKey[\s│]+Keys:[\s│]+project_id[\s│]+occurred_at/);
  });
});
