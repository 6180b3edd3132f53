import pMap from 'p-map';
import { createTemporalClient } from '../temporal/client/connect.ts';
import type { JobKind } from '../temporal/contracts/search-attributes.ts';
import { measureBareWorkflows } from './bare-workflows.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { type BenchRun, type Figure, reportEach } from './report.ts';
import { measureWaiting } from './waiting-executions.ts';
import { createTemplate, createWorkflow, startWorkflowBench, untilCounted } from './workflow-bench.ts';

const executions = 300;
const warmUp = 30;
const atATime = 32;
const sample = 20;
/** Share of the rate of bare workflows on the same server. */
const share = 0.6;
const waiting = { everyMs: 100, patienceMs: 10 * 60 * 1000 };

async function* measureExecutions(stack: BenchStack): AsyncGenerator<Figure> {
  const temporal = await stack.startTemporal();
  const bare = await measureBareWorkflows(temporal, { count: executions, atATime });
  const bench = await startWorkflowBench(stack, temporal);
  const templateId = await createTemplate(bench);
  await createWorkflow(bench, 'signup', [{ type: 'SEND_EMAIL', config: { templateId } }, { type: 'EXIT' }]);
  const track = (n: number) => bench.track('signup', n);
  const ended = `select count(*)::int as count from workflow_executions where status = 'EXITED'`;
  const sent = `select count(*)::int as count from emails where sent_at is not null`;
  await pMap(Array.from({ length: warmUp }), (_, n) => track(1_000_000 + n), { concurrency: atATime });
  await untilCounted(stack, ended, warmUp, waiting);

  const cpu = watchCpu({
    API: bench.api.pid,
    worker: bench.worker.pid,
    Postgres: stack.postgresPid,
    Temporal: temporal.pid,
  });
  const startedAt = performance.now();
  await pMap(Array.from({ length: executions }), (_, n) => track(n), { concurrency: atATime });
  await untilCounted(stack, ended, executions + warmUp, waiting);
  const seconds = (performance.now() - startedAt) / 1000;
  await untilCounted(stack, sent, executions + warmUp, waiting);
  const sentAfter = (performance.now() - startedAt) / 1000;
  const cpuUsed = cpu(executions);
  yield {
    work: 'executions, event to exit',
    value: executions / seconds,
    unit: '/s',
    bar: { atLeast: share * bare.perSecond },
    limits: [{ what: 'bare workflows with one activity, same server', value: bare.perSecond }],
    note: `${executions} events, each with an email; ${cpuUsed}; bare: ${bare.cpu}`,
  };
  yield {
    work: 'executions, event to the email handed over',
    value: executions / sentAfter,
    unit: '/s',
    limits: [{ what: 'bare workflows with one activity, same server', value: bare.perSecond }],
  };
  yield* await countOrders(temporal.address);
}

async function countOrders(address: string): Promise<Figure[]> {
  const { workflow, connection } = createTemporalClient({ TEMPORAL_ADDRESS: address });
  const countOf = async (kind: JobKind) => (await workflow.count(`JobKind = '${kind}'`)).count;
  const [runs, batches] = await Promise.all([countOf('workflow-execution'), countOf('email-batch')]);
  let [events, tasks, looked] = [0, 0, 0];
  for await (const { workflowId } of workflow.list({ query: `JobKind = 'workflow-execution'` })) {
    const history = await workflow.getHandle(workflowId).fetchHistory();
    events += history.events?.length ?? 0;
    tasks += history.events?.filter((event) => event.workflowTaskStartedEventAttributes).length ?? 0;
    looked += 1;
    if (looked === sample) break;
  }
  await connection.close();
  // A bare workflow has 11 events, 2 workflow tasks and an activity task.
  return [
    {
      work: 'events in the history of an execution',
      value: events / looked,
      unit: 'events',
      limits: [{ what: 'the bare workflow', value: 11, unit: 'events' }],
    },
    {
      work: 'workflow tasks of an execution',
      value: tasks / looked,
      unit: 'tasks',
      limits: [{ what: 'the bare workflow', value: 2, unit: 'tasks, and one of its activity' }],
    },
    { work: 'executions whose emails shared a batch workflow', value: runs / batches, unit: 'executions' },
  ];
}

/**
 * Measures executions per second of a workflow with an email, from start to end, and the cost of waiting executions;
 * `BENCH_WORKFLOWS=rate` or `BENCH_WORKFLOWS=waiting` runs only one of them.
 */
export async function benchWorkflows({ report }: BenchRun): Promise<void> {
  const only = process.env.BENCH_WORKFLOWS ?? '';
  if (only !== 'waiting') await withBenchStack((stack) => reportEach(measureExecutions(stack), report));
  if (only !== 'rate') await withBenchStack((stack) => reportEach(measureWaiting(stack), report));
}
