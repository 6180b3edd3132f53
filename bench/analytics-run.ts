/**
 * Measures the endpoints of activity and analytics over ten million events in the embedded ClickHouse, nine of ten in one project.
 *
 *   node bench/analytics-run.ts [--events=10000000] [--times=40]
 *
 * Its last line is the figures as JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ClickHouse, connectClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { countColumn, type Question } from '../analytics/question.ts';
import { activityFeed } from '../analytics/questions/activity-feed.ts';
import { activityStats } from '../analytics/questions/activity-stats.ts';
import { campaignFigures, topCampaigns } from '../analytics/questions/campaign-figures.ts';
import { timeseries } from '../analytics/questions/timeseries.ts';
import { topEvents } from '../analytics/questions/top-events.ts';
import { bigProject, fillEvents } from './analytics-data.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, times: { type: 'string', default: '40' } },
});
const events = Number(values.events);
const times = Number(values.times);
const dayMs = 86_400_000;

/** p50 and p95 of the time that answers take, and CPU of this process for each, in milliseconds. */
async function timed(work: (n: number) => Promise<unknown>) {
  const durations: number[] = [];
  await work(0);
  const cpu = process.cpuUsage();
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    await work(n);
    durations.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    cpu: (user + system) / 1000 / times,
  };
}

const counted = (sql: string): Question<{ projectId: string }, { n: number }> => ({
  name: 'bench',
  sql,
  row: z.object({ n: countColumn }),
});
/** The least that a figure of the period costs: to read when and of which kind its rows are. */
const bareFigures = counted(`SELECT sum(toUInt8(figure)) AS n FROM figure
  WHERE project_id = {projectId:UUID} AND occurred_at >= now() - INTERVAL 30 DAY`);
const bareEvents = counted(`SELECT countIf(name = 'email.sent') AS n FROM event
  WHERE project_id = {projectId:UUID} AND occurred_at >= now() - INTERVAL 60 DAY`);
/** What every answer costs, whatever it says. */
const bareQuestion = counted(`SELECT length({projectId:String}) AS n`);

async function measure(clickhouse: ClickHouse): Promise<Figure[]> {
  const now = new Date();
  const period = { projectId: bigProject, startDate: new Date(now.getTime() - 30 * dayMs), endDate: now };
  const bare = async (question: typeof bareFigures) =>
    (await timed(() => clickhouse.query(question, { projectId: bigProject }))).p50;
  const limits = {
    question: { what: 'a question without data p50', value: await bare(bareQuestion) },
    figures: { what: 'reading the kinds of the period p50', value: await bare(bareFigures) },
    events: { what: 'reading the names of both periods p50', value: await bare(bareEvents) },
  };
  const figure = async (
    work: string,
    limit: keyof typeof limits,
    below: number | undefined,
    ask: (n: number) => Promise<unknown>,
  ): Promise<Figure> => {
    const { p50, p95, cpu } = await timed(ask);
    return {
      work,
      value: p95,
      unit: 'ms',
      ...(below !== undefined && { bar: { below } }),
      limits: [limits[limit]],
      note: `p50 ${p50.toFixed(1)} ms, CPU ${cpu.toFixed(1)} ms each`,
    };
  };
  /** Pages spread over the whole time. */
  const anywhere = (n: number) => ({
    projectId: bigProject,
    limit: 51,
    endDate: new Date(now.getTime() - ((n * 89) / times) * dayMs),
  });
  return [
    await figure('activity page anywhere, p95', 'question', 30, (n) => activityFeed(clickhouse, anywhere(n))),
    await figure('activity page of one type, p95', 'question', 30, (n) =>
      activityFeed(clickhouse, { ...anywhere(n), types: ['email.clicked'] }),
    ),
    await figure('time series of 30 days, p95', 'figures', 150, () => timeseries(clickhouse, period, 'day')),
    await figure('time series of 720 hours, p95', 'figures', 150, () =>
      timeseries(clickhouse, period, 'hour'),
    ),
    await figure('top campaigns of 30 days, p95', 'figures', undefined, () =>
      topCampaigns(clickhouse, period, 'opens', 10),
    ),
    await figure('campaign figures of 30 days, p95', 'figures', undefined, () =>
      campaignFigures(clickhouse, period, 50),
    ),
    await figure('statistics of 30 days, p95', 'figures', undefined, () => activityStats(clickhouse, period)),
    await figure('top events of 30 days and the 30 before, p95', 'events', undefined, () =>
      topEvents(clickhouse, period, 10),
    ),
  ];
}

const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-bench-analytics-'));
try {
  const clickhouse = await connectClickHouse({ embeddedPath: directory, database: 'posthaste' });
  await migrateClickHouse(clickhouse);
  const startedAt = performance.now();
  await fillEvents(clickhouse, events);
  const filled: Figure = {
    work: `${events.toLocaleString('en-US')} events written by the engine`,
    value: (performance.now() - startedAt) / 1000,
    unit: 's',
    bar: { below: 120 },
  };
  const figures = await measure(clickhouse);
  await clickhouse.close();
  process.stdout.write(`${JSON.stringify([filled, ...figures])}\n`);
} finally {
  await rm(directory, { recursive: true, force: true });
}
