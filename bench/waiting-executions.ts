import { statSync } from 'node:fs';
import { join } from 'node:path';
import pMap from 'p-map';
import { sql } from '../db/testing/sql.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { residentMegabytesOf } from './bench-process.ts';
import type { BenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import type { Figure } from './report.ts';
import { createWorkflow, startWorkflowBench, untilCounted, type WorkflowBench } from './workflow-bench.ts';

/**
 * On two cores, the dev server starts 30 to 60 executions a second, half an hour for 100,000. With fewer, the cost per
 * execution is the same; `BENCH_WAITING` sets the number.
 */
const count = Number(process.env.BENCH_WAITING ?? 2_000);
const settled = Math.floor(count / 2);
const woken = Math.min(500, count - settled);
const atATime = 32;
/** Executions are started in portions, so that a long run shows its progress. */
const portion = 5_000;
const waiting = { everyMs: 500, patienceMs: 4 * 60 * 60 * 1000 };

const waitingSql = `select count(*)::int as count from workflow_executions where status = 'WAITING'`;
const endedSql = `select count(*)::int as count from workflow_executions where status = 'EXITED'`;

interface Sizes {
  api: number;
  worker: number;
  temporal: number;
  postgresBytes: number;
  temporalBytes: number;
}

async function readSizes({ stack, api, worker, temporal }: WorkflowBench): Promise<Sizes> {
  const em = stack.orm.em.fork();
  await sql(em, 'checkpoint');
  const [database] = await sql<{ bytes: number }>(
    em,
    'select pg_database_size(current_database())::float8 as bytes',
  );
  const file = join(stack.directory, 'temporal', 'temporal.db');
  return {
    api: residentMegabytesOf(api.pid),
    worker: residentMegabytesOf(worker.pid),
    temporal: residentMegabytesOf(temporal.pid),
    postgresBytes: database?.bytes ?? 0,
    temporalBytes: statSync(file).size,
  };
}

async function readHistoryBytes(address: string): Promise<number> {
  const { workflow, connection } = createTemporalClient({ TEMPORAL_ADDRESS: address });
  let [bytes, looked] = [0, 0];
  const query = `JobKind = 'workflow-execution' and ExecutionStatus = 'Running'`;
  for await (const { workflowId } of workflow.list({ query })) {
    const { historySize } = await workflow.getHandle(workflowId).describe();
    bytes += historySize ?? 0;
    looked += 1;
    if (looked === 20) break;
  }
  await connection.close();
  return bytes / looked;
}

function sizeFigures(before: Sizes, after: Sizes, historyBytes: number): Figure[] {
  const perExecution = (key: 'postgresBytes' | 'temporalBytes') =>
    (after[key] - before[key]) / (count - settled) / 1024;
  const growth = (key: 'api' | 'worker') => after[key] - before[key];
  return [
    {
      work: `growth of the worker by the last ${count - settled} of them`,
      value: growth('worker'),
      unit: 'MB',
      bar: { below: 150 },
      limits: [{ what: `memory with ${settled} of them`, value: before.worker, unit: 'MB' }],
      note: `Temporal itself: from ${before.temporal} to ${after.temporal} MB`,
    },
    {
      work: `growth of the API by the last ${count - settled} of them`,
      value: growth('api'),
      unit: 'MB',
      bar: { below: 150 },
      limits: [{ what: `memory with ${settled} of them`, value: before.api, unit: 'MB' }],
    },
    {
      work: 'database of Temporal, each execution that waits',
      value: perExecution('temporalBytes'),
      unit: 'KB',
      limits: [{ what: 'its history', value: historyBytes / 1024, unit: 'KB' }],
    },
    {
      work: 'Postgres, each execution that waits',
      value: perExecution('postgresBytes'),
      unit: 'KB',
      note: 'with its contact, the events that started it, the step run and the listener',
    },
  ];
}

export async function* measureWaiting(stack: BenchStack): AsyncGenerator<Figure> {
  const bench = await startWorkflowBench(stack, await stack.startTemporal());
  await createWorkflow(bench, 'signup', [
    { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 30 * 24 * 60 * 60 } },
    { type: 'EXIT' },
  ]);
  const start = async (from: number, to: number) => {
    for (let first = from; first < to; first += portion) {
      const next = Math.min(first + portion, to);
      await pMap(Array.from({ length: next - first }), (_, n) => bench.track('signup', first + n), {
        concurrency: atATime,
      });
      await untilCounted(stack, waitingSql, next, waiting);
      process.stderr.write(`${next} executions wait\n`);
    }
  };
  // By then, the worker has filled its cache and the processes have grown their heaps.
  await start(0, settled);
  const before = await readSizes(bench);
  const startedAt = performance.now();
  await start(settled, count);
  const perSecond = ((count - settled) * 1000) / (performance.now() - startedAt);
  const after = await readSizes(bench);
  const historyBytes = await readHistoryBytes(bench.temporal.address);

  const cpu = watchCpu({
    API: bench.api.pid,
    worker: bench.worker.pid,
    Postgres: stack.postgresPid,
    Temporal: bench.temporal.pid,
  });
  const wokenAt = performance.now();
  const pace = Math.max(1, Math.floor(count / woken));
  await pMap(Array.from({ length: woken }), (_, n) => bench.track('paid', n * pace), {
    concurrency: atATime,
  });
  await untilCounted(stack, endedSql, woken, waiting);
  const wakeSeconds = (performance.now() - wokenAt) / 1000;

  yield {
    work: 'executions that wait',
    value: count,
    unit: 'executions',
    note: `started at ${perSecond.toFixed(0)}/s`,
  };
  yield* sizeFigures(before, after, historyBytes);
  yield {
    work: `executions woken by an event each, of ${count}`,
    value: woken / wakeSeconds,
    unit: '/s',
    limits: [{ what: 'executions started, same run', value: perSecond }],
    note: `${woken} to their exit in ${wakeSeconds.toFixed(1)} s; ${cpu(woken)}`,
  };
}
