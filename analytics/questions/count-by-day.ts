import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { ClickHouseTimedOut } from '../client/errors.ts';
import { countColumn, type QueryParameters, type Question } from '../client/question.ts';
import { countBuckets, fillBuckets } from './fill-buckets.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const maxDays = 400;
/** Range of ClickHouse's Date, without 1970-01-01, which marks all days. */
const known = { from: Date.UTC(1971), until: Date.UTC(2100) };
/** With more names or campaigns in a day, the period is queried as a whole, and ClickHouse picks the top ones. */
const maxRowsPerDay = 200;
/** Cached rows of all days together, about 100 bytes each. */
const maxKeptRows = 100_000;
/** New rows become visible after their mark in `day_change`, but within this time. */
const settledAfterSeconds = 60;
/** Of counting day by day. Proxies wait a minute for an answer; the next call continues with the days that are left. */
const dayByDayMs = 30_000;
/** Limits how long the rows of a slower insert stay uncounted. */
const keptMs = 3_600_000;

/** Condition of a question that counts by day: its rows are grouped by a `date` that starts with the day. */
export const inDays = `${inPeriod} AND toDate(occurred_at, 'UTC') IN {days:Array(Date)}`;
export const limitPerDay = `LIMIT ${maxRowsPerDay + 1} BY date`;

export type DayParameters = PeriodParameters & { days: readonly string[] };

interface KeptDay {
  changedAt: number;
  /** Null when there were too many. */
  rows: readonly unknown[] | null;
}

const keptBy = new WeakMap<ClickHouse, LRUCache<string, KeptDay>>();

const mark = z.object({ date: z.string(), changedAt: countColumn, isSettled: countColumn });

const marksOfDays: Question<PeriodParameters, z.output<typeof mark>> = {
  name: 'day-changes',
  sql: `
SELECT toString(day) AS date, toUnixTimestamp64Milli(max(changed_at)) AS changedAt,
  max(changed_at) < now64(3) - INTERVAL ${settledAfterSeconds} SECOND AS isSettled
FROM day_change
WHERE project_id = {projectId:UUID}
  AND (day = toDate(0) OR day BETWEEN toDate({since:DateTime64(3, 'UTC')}) AND toDate({until:DateTime64(3, 'UTC')}))
GROUP BY day`,
  row: mark,
};

/** @returns when the day last changed, and whether all rows of that change can be seen */
async function changesOf(clickhouse: ClickHouse, period: PeriodParameters) {
  const marks = new Map((await clickhouse.query(marksOfDays, period)).map((found) => [found.date, found]));
  const ofProject = marks.get('1970-01-01');
  return (day: string) => {
    const found = [marks.get(day), ofProject].filter((one) => one !== undefined);
    return {
      changedAt: Math.max(0, ...found.map(({ changedAt }) => changedAt)),
      isSettled: found.every(({ isSettled }) => isSettled === 1),
    };
  };
}

const dayOf = ({ date }: { date: string }) => date.slice(0, 10);

const isCountable = (period: ProjectPeriod): boolean =>
  period.startDate.getTime() >= known.from &&
  period.endDate.getTime() < known.until &&
  countBuckets(period, 'day') <= maxDays;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The hours of a day that lie in the period; a period that ends in the future has all of today. Undefined when the
 * period begins or ends within an hour: that part of the day is unlikely to be asked for again.
 */
function partOf(day: string, { startDate, endDate }: ProjectPeriod): string | undefined {
  const first = Date.parse(day);
  const from = Math.max(startDate.getTime(), first) - first;
  const isOver = endDate.getTime() >= Date.now() || endDate.getTime() >= first + dayMs - 1;
  const until = isOver ? dayMs : endDate.getTime() + 1 - first;
  if (from % hourMs !== 0 || until % hourMs !== 0) return undefined;
  return `${from / hourMs}-${until / hourMs}`;
}

/**
 * Rows of a question for a period. A day is counted again only after some of its rows arrived or were erased, so a
 * chart of months costs no more than a chart of today. If ClickHouse can't count all of them in time, it counts them one
 * by one, for half a minute. Exact, except that rows of an insert that took more than a minute, or dated more than a
 * minute in the future, may be missing for an hour.
 *
 * @param question grouped by `date` and limited per day
 * @returns rows of each day in any order; undefined when there are too many days, or too many rows in a day: query the
 *   period as a whole instead
 */
export async function countByDay<Row extends { date: string }, More extends QueryParameters>(
  clickhouse: ClickHouse,
  question: Question<DayParameters & More, Row>,
  period: ProjectPeriod,
  more: More,
): Promise<Row[] | undefined> {
  if (!isCountable(period)) return undefined;
  const days = fillBuckets([], period, 'day', (date) => ({ date })).map(dayOf);
  if (days.length === 0) return [];
  const parameters = toPeriodParameters(period);
  const changeOf = await changesOf(clickhouse, parameters);
  const cache = keptDays(clickhouse);
  const keyOf = (day: string) => {
    const part = partOf(day, period);
    return part && [question.name, period.projectId, ...Object.values(more), day, part].join(' ');
  };
  const keys = new Map(days.map((day) => [day, keyOf(day)]));
  const kept = new Map<string, KeptDay>();
  for (const [day, key] of keys) {
    const found = key === undefined ? undefined : cache.get(key);
    if (found?.changedAt === changeOf(day).changedAt) kept.set(day, found);
  }
  const missing = days.filter((day) => !kept.has(day));
  const isTooMany = () => [...kept.values()].some(({ rows }) => rows === null);
  const count = async (asked: readonly string[]) => {
    const rows = await clickhouse.query(question, { ...parameters, ...more, days: asked });
    const found = Map.groupBy(rows, dayOf);
    for (const day of asked) {
      const { changedAt, isSettled } = changeOf(day);
      const counted = found.get(day) ?? [];
      const entry: KeptDay = { changedAt, rows: counted.length > maxRowsPerDay ? null : counted };
      kept.set(day, entry);
      const key = keys.get(day);
      if (isSettled && key !== undefined) cache.set(key, entry);
    }
  };
  if (missing.length > 0 && !isTooMany()) await countInParts(missing, count, isTooMany);
  if (isTooMany()) return undefined;
  // as: entries under this key come from this question only.
  return [...kept.values()].flatMap(({ rows }) => (rows ?? []) as readonly Row[]);
}

/** Counts the days together, or one by one if ClickHouse can't count all in time. What is counted before it fails is kept. */
async function countInParts(
  days: readonly string[],
  count: (asked: readonly string[]) => Promise<void>,
  isTooMany: () => boolean,
): Promise<void> {
  try {
    await count(days);
  } catch (error) {
    if (!(error instanceof ClickHouseTimedOut) || days.length === 1) throw error;
    const endsAt = performance.now() + dayByDayMs;
    for (const day of days) {
      if (performance.now() > endsAt) throw error;
      await count([day]);
      if (isTooMany()) return;
    }
  }
}

function keptDays(clickhouse: ClickHouse): LRUCache<string, KeptDay> {
  const found = keptBy.get(clickhouse);
  if (found !== undefined) return found;
  const made = new LRUCache<string, KeptDay>({
    maxSize: maxKeptRows,
    sizeCalculation: ({ rows }) => 1 + (rows?.length ?? 0),
    ttl: keptMs,
  });
  keptBy.set(clickhouse, made);
  return made;
}
