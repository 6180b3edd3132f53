/**
 * Measures the activity and analytics endpoints over ten million events in the ClickHouse of `npm start`, nine of ten
 * in one project. Usage: node bench/analytics-run.ts [--events=10000000] [--times=40]. The last line of output is the
 * figures as JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { countColumn, type Question } from '../analytics/client/question.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { activityStats } from '../analytics/questions/activity-stats.ts';
import { campaignFigures, topCampaigns } from '../analytics/questions/campaign-figures.ts';
import { activityFeed } from '../analytics/questions/event-listings.ts';
import { timeseries } from '../analytics/questions/timeseries.ts';
import { topEvents } from '../analytics/questions/top-events.ts';
import { bigProject, fillEvents } from './analytics-data.ts';
import { startBenchClickHouse } from './bench-clickhouse.ts';
import { cpuSecondsOf } from './bench-process.ts';
import { emitFigure } from './engine-bench.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, times: { type: 'string', default: '40' } },
});
const events = Number(values.events);
const times = Number(values.times);
const dayMs = 86_400_000;

/** p50 and p95 of the response time, and the CPU of this process and of ClickHouse per response, in milliseconds. */
async function timed(work: (n: number) => Promise<unknown>) {
  const durations: number[] = [];
  await work(0);
  const cpu = cpuSecondsOf(process.pid);
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    await work(n);
    durations.push(performance.now() - startedAt);
  }
  return {
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    cpu: ((cpuSecondsOf(process.pid) - cpu) * 1000) / times,
  };
}

const counted = (sql: string): Question<{ projectId: string }, { n: number }> => ({
  name: 'bench',
  sql,
  row: z.object({ n: countColumn }),
});
/** Lower bound for figures over a period: reads only the time and kind of their rows. */
const bareFigures = counted(`SELECT sum(toUInt8(figure)) AS n FROM figure
  WHERE project_id = {projectId:UUID} AND occurred_at >= now() - INTERVAL 30 DAY`);
const bareEvents = counted(`SELECT countIf(name = 'email.sent') AS n FROM event
  WHERE project_id = {projectId:UUID} AND occurred_at >= now() - INTERVAL 60 DAY`);
const bareQuestion = counted(`SELECT length({projectId:String}) AS n`);

async function* measure(clickhouse: ClickHouse): AsyncGenerator<Figure> {
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
  const anywhere = (n: number) => ({
    projectId: bigProject,
    limit: 51,
    endDate: new Date(now.getTime() - ((n * 89) / times) * dayMs),
  });
  yield await figure('activity page anywhere, p95', 'question', 30, (n) =>
    activityFeed(clickhouse, anywhere(n)),
  );
  yield await figure('activity page of one type, p95', 'question', 30, (n) =>
    activityFeed(clickhouse, { ...anywhere(n), types: ['email.clicked'] }),
  );
  yield await figure('time series of 30 days, p95', 'figures', 150, () =>
    timeseries(clickhouse, period, 'day'),
  );
  yield await figure('time series of 720 hours, p95', 'figures', 150, () =>
    timeseries(clickhouse, period, 'hour'),
  );
  yield await figure('top campaigns of 30 days, p95', 'figures', undefined, () =>
    topCampaigns(clickhouse, period, 'opens', 10),
  );
  yield await figure('campaign figures of 30 days, p95', 'figures', undefined, () =>
    campaignFigures(clickhouse, period, 50),
  );
  yield await figure('statistics of 30 days, p95', 'figures', undefined, () =>
    activityStats(clickhouse, period),
  );
  yield await figure('top events of 30 days and the 30 before, p95', 'events', undefined, () =>
    topEvents(clickhouse, period, 10),
  );
}

const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-bench-analytics-'));
try {
  const server = await startBenchClickHouse(path.join(directory, 'clickhouse'));
  const clickhouse = server.connect();
  await migrateClickHouse(clickhouse);
  const startedAt = performance.now();
  await fillEvents(clickhouse, events);
  emitFigure({
    work: `${events.toLocaleString('en-US')} events written by the engine`,
    value: (performance.now() - startedAt) / 1000,
    unit: 's',
    bar: { below: 120 },
  });
  for await (const figure of measure(clickhouse)) emitFigure(figure);
  await clickhouse.close();
  await server.stop();
} finally {
  await rm(directory, { recursive: true, force: true });
}
