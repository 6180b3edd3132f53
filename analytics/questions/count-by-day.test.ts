import fc from 'fast-check';
import { v7 } from 'uuid';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useTestClickHouse } from '../../test/setup/clickhouse.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { ClickHouseTimedOut } from '../client/errors.ts';
import { eraseContacts } from '../erase-contacts.ts';
import { eraseEvents } from '../erase-events.ts';
import { eventTable } from '../tables/event.ts';
import { type EventInsertRow, eventRow, toEventLine } from '../testing/event-row.ts';
import { deliveriesOf, journalArbitrary } from '../testing/journal-model.ts';
import { activityStats } from './activity-stats.ts';
import { topCampaigns } from './campaign-figures.ts';
import { eventStats } from './event-stats.ts';
import type { ProjectPeriod } from './period.ts';
import { timeseries } from './timeseries.ts';
import { topEvents } from './top-events.ts';

const clickhouse = useTestClickHouse();

const store = (rows: readonly EventInsertRow[]) =>
  clickhouse.insert(eventTable, rows.map(toEventLine).join('\n'));

/** As if nothing had arrived for two minutes. */
async function passTwoMinutes(): Promise<void> {
  await clickhouse.command(
    `CREATE OR REPLACE TABLE aged ENGINE = Memory AS
     SELECT project_id, day, changed_at - INTERVAL 2 MINUTE AS changed_at FROM day_change`,
  );
  await clickhouse.command('TRUNCATE TABLE day_change');
  await clickhouse.command('INSERT INTO day_change SELECT * FROM aged');
}

/** A separate handle with an empty cache; `asked` lists the days that its questions counted. */
function fresh(): { handle: ClickHouse; asked: string[] } {
  const asked: string[] = [];
  const handle: ClickHouse = {
    ...clickhouse,
    query(question, parameters) {
      if (Array.isArray(parameters.days)) asked.push(...parameters.days.map(String));
      return clickhouse.query(question, parameters);
    },
  };
  return { handle, asked };
}

async function answers(handle: ClickHouse, period: ProjectPeriod) {
  return [
    await timeseries(handle, period, 'day'),
    await timeseries(handle, period, 'hour'),
    await topCampaigns(handle, period, 'opens', 5),
    await topEvents(handle, period, 5),
    await eventStats(handle, period),
    await activityStats(handle, period),
  ];
}

const endlessSql = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';

const start = new Date('2026-01-30T00:00:00.000Z');
const instant = (day: number, hour = 0) => new Date(start.getTime() + (day * 24 + hour) * 3_600_000);

const tracked = (projectId: string, occurredAt: Date, rest: Partial<EventInsertRow> = {}) =>
  eventRow(projectId, { occurredAt, ...rest });

describe('cached days', () => {
  it('give the same answers as a full recount, whatever arrives late or twice', async () => {
    const projectId = v7();
    const journal = journalArbitrary(projectId, start, 4).chain(deliveriesOf);
    await fc.assert(
      fc.asyncProperty(journal, async (deliveries) => {
        const { handle } = fresh();
        const period = { projectId, startDate: instant(0, 5), endDate: instant(4) };
        for (const batch of deliveries) {
          await store(batch);
          expect(await answers(handle, period)).toEqual(await answers(fresh().handle, period));
          await passTwoMinutes();
          await answers(handle, period);
          expect(await answers(handle, period)).toEqual(await answers(fresh().handle, period));
        }
      }),
      { numRuns: 4 },
    );
  });

  it('are counted again only when rows of them arrive, and not cached until those have settled', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const period = { projectId, startDate: instant(0, 12), endDate: new Date(instant(3, 13).getTime() - 1) };
    const ask = async () => {
      asked.length = 0;
      return (await eventStats(handle, period)).total;
    };
    await store([0, 1, 2, 3].map((day) => tracked(projectId, instant(day, 12))));
    await ask();
    expect(await ask()).toBe(4);
    expect(asked).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02']);
    await passTwoMinutes();
    await ask();
    expect(await ask()).toBe(4);
    expect(asked).toEqual([]);
    await store([tracked(projectId, instant(1, 3)), tracked(v7(), instant(2, 3))]);
    expect(await ask()).toBe(5);
    expect(asked).toEqual(['2026-01-31']);
  });

  it('are counted one by one if ClickHouse cannot count all in time, and those counted are kept', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const slowDays = new Set(['2026-02-01']);
    const slow: ClickHouse = {
      ...handle,
      query(question, parameters) {
        const days = Array.isArray(parameters.days) ? parameters.days : [];
        const isSlow = days.length > 1 || days.some((day) => slowDays.has(day));
        return handle.query(
          isSlow ? { ...question, sql: endlessSql, timeoutMs: 1_000 } : question,
          parameters,
        );
      },
    };
    const period = { projectId, startDate: instant(0), endDate: new Date(instant(4).getTime() - 1) };
    await store([0, 1, 2, 3].map((day) => tracked(projectId, instant(day, 12))));
    await passTwoMinutes();
    await expect(eventStats(slow, period)).rejects.toThrow(ClickHouseTimedOut);
    slowDays.clear();
    asked.length = 0;
    expect(await eventStats(slow, period)).toMatchObject({ total: 4 });
    expect(asked).toEqual(['2026-02-01', '2026-02-02', '2026-02-01', '2026-02-02']);
  });

  it('are counted one by one for half a minute, and the rest by the next call', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const projectId = v7();
    const { handle, asked } = fresh();
    const slow: ClickHouse = {
      ...handle,
      query(question, parameters) {
        const days = Array.isArray(parameters.days) ? parameters.days : [];
        if (days.length > 2) return Promise.reject(new ClickHouseTimedOut('slow'));
        if (days.length > 0) vi.advanceTimersByTime(16_000);
        return handle.query(question, parameters);
      },
    };
    const period = { projectId, startDate: instant(0), endDate: new Date(instant(4).getTime() - 1) };
    await store([0, 1, 2, 3].map((day) => tracked(projectId, instant(day, 12))));
    await passTwoMinutes();
    await expect(eventStats(slow, period)).rejects.toThrow(ClickHouseTimedOut);
    expect(asked).toEqual(['2026-01-30', '2026-01-31']);
    expect(await eventStats(slow, period)).toMatchObject({ total: 4 });
    expect(asked).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02']);
  });

  it('are not counted one by one any further once one has too many rows', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const slow: ClickHouse = {
      ...handle,
      query: (question, parameters) =>
        Array.isArray(parameters.days) && parameters.days.length > 1
          ? Promise.reject(new ClickHouseTimedOut('slow'))
          : handle.query(question, parameters),
    };
    await store(
      Array.from({ length: 201 }, (_, n) => tracked(projectId, instant(0, 12), { name: `order ${n}` })),
    );
    const period = { projectId, startDate: instant(0), endDate: new Date(instant(4).getTime() - 1) };
    expect(await eventStats(slow, period)).toMatchObject({ total: 201 });
    expect(asked).toEqual(['2026-01-30']);
  });

  it('serve the counts of the activity feed', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const period = { projectId, startDate: instant(0), endDate: new Date(instant(2).getTime() - 1) };
    await store([
      tracked(projectId, instant(0, 12)),
      tracked(projectId, instant(1, 12), { activityType: 'workflow.started', kind: 'activity' }),
      tracked(projectId, instant(1, 13), { activityType: 'email.sent', kind: 'emitted', emailId: v7() }),
    ]);
    await passTwoMinutes();
    await activityStats(handle, period);
    expect(asked.sort()).toEqual(['2026-01-30', '2026-01-30', '2026-01-31', '2026-01-31']);
    asked.length = 0;
    const stats = await activityStats(handle, period);
    expect(stats).toMatchObject({ totalEvents: 3, workflowsStarted: 1, sent: 1, opened: 0 });
    expect(asked).toEqual([]);
  });

  it('are cached by their hours in the period, unless it begins or ends within an hour', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const ask = async (startDate: Date, endDate: Date) => {
      asked.length = 0;
      return (await eventStats(handle, { projectId, startDate, endDate })).total;
    };
    await store([0, 6, 12, 18].map((hour) => tracked(projectId, instant(1, hour))));
    await passTwoMinutes();
    const noon = new Date(instant(1, 12).getTime() - 1);
    expect(await ask(instant(1), noon)).toBe(2);
    expect(await ask(instant(1, 3), noon)).toBe(1);
    expect(await ask(instant(1, 3), instant(2))).toBe(3);
    expect(await ask(instant(1), noon)).toBe(2);
    expect(asked).toEqual([]);
    const withinHours = [new Date(instant(1).getTime() + 1), new Date(noon.getTime() - 1)] as const;
    expect(await ask(...withinHours)).toBe(1);
    expect(await ask(...withinHours)).toBe(1);
    expect(asked).toEqual(['2026-01-31']);
  });

  it('include today, which is counted again with each row that arrives', async () => {
    const projectId = v7();
    const { handle, asked } = fresh();
    const soon = 60_000;
    const ask = async () => {
      asked.length = 0;
      const startDate = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000);
      const endDate = new Date(Date.now() + soon);
      return (await eventStats(handle, { projectId, startDate, endDate })).total;
    };
    await store([tracked(projectId, new Date())]);
    await passTwoMinutes();
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(1);
    expect(asked).toEqual([]);
    await store([tracked(projectId, new Date())]);
    expect(await ask()).toBe(2);
  });

  it('show nothing of erased events and contacts', async () => {
    const projectId = v7();
    const contactId = v7();
    const { handle } = fresh();
    const period = { projectId, startDate: instant(0), endDate: instant(3) };
    const names = async () => (await eventStats(handle, period)).byName.map(({ name }) => name);
    await store([
      tracked(projectId, instant(1)),
      tracked(projectId, instant(1), { name: 'page viewed' }),
      tracked(projectId, instant(2), { name: 'secret', contactId }),
    ]);
    await passTwoMinutes();
    expect(await names()).toEqual(['order placed', 'page viewed', 'secret']);
    await eraseContacts(clickhouse, projectId, [contactId], []);
    expect(await names()).toEqual(['order placed', 'page viewed']);
    await passTwoMinutes();
    await names();
    await eraseEvents(clickhouse, { projectId, name: 'page viewed', madeUntil: new Date() });
    expect(await names()).toEqual(['order placed']);
  });

  it('are not cached when a day has hundreds of names, which all count', async () => {
    const projectId = v7();
    const { handle } = fresh();
    const period = { projectId, startDate: instant(0), endDate: instant(3) };
    const many = Array.from({ length: 250 }, (_, n) => tracked(projectId, instant(1), { name: `name ${n}` }));
    await store([...many, tracked(projectId, instant(1, 2), { name: 'name 7' })]);
    await passTwoMinutes();
    for (let times = 0; times < 2; times += 1) {
      expect((await eventStats(handle, period)).total).toBe(251);
      expect((await topEvents(handle, period, 1))[0]).toEqual({ name: 'name 7', count: 2, previousCount: 0 });
    }
  });

  it.each([
    ['a period of years', '2020-01-01', '2026-02-10'],
    ['a period before 1971', '1969-12-30', '1970-02-01'],
    ['a period after 2100', '2199-12-30', '2200-02-01'],
    ['no day', '2026-02-01', '2026-01-01'],
  ])('are not used for %s', async (_, from, until) => {
    const { handle, asked } = fresh();
    const period = { projectId: v7(), startDate: new Date(from), endDate: new Date(until) };
    await eventStats(handle, period);
    expect(asked).toEqual([]);
  });
});
