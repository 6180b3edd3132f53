import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { z } from 'zod';
import { sql } from '../db/sql.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import type { JobKind } from '../temporal/contracts/operations.ts';
import { measureBareWorkflows } from './bare-workflows.ts';
import { type BenchStack, freePort, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import type { Figure } from './report.ts';
import { registerSender } from './ses-calls.ts';

const executions = 200;
const atATime = 32;
/** Executions whose histories are read. */
const sample = 20;
/** Of the rate of bare workflows on the same server. */
const share = 0.6;
const patienceMs = 10 * 60 * 1000;

const createdSchema = z.object({ id: z.string(), steps: z.array(z.object({ id: z.string() })) });
const idSchema = z.object({ id: z.string() });

/** A workflow that sends an email and exits, switched on. */
async function createWorkflow(stack: BenchStack, call: Call): Promise<string> {
  const template = await call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome {{ event.plan }}',
    body: '<p>Hello {{ email }}</p>'.repeat(20),
    from: `hello@${stack.project.domain}`,
    type: 'TRANSACTIONAL',
  });
  const templateId = idSchema.parse(template).id;
  const workflow = createdSchema.parse(
    await call('POST', '/workflows', { name: 'Bench', eventName: 'signup' }),
  );
  let last = workflow.steps[0]?.id;
  for (const step of [{ type: 'SEND_EMAIL', config: { templateId } }, { type: 'EXIT' }]) {
    const added = await call('POST', `/workflows/${workflow.id}/steps`, { ...step, autoConnect: last });
    last = idSchema.parse(added).id;
  }
  await call('PATCH', `/workflows/${workflow.id}`, { enabled: true });
  return workflow.id;
}

type Call = (method: string, path: string, body: object, key?: string) => Promise<unknown>;

/** How long until `count` rows of a statement that counts are there. */
async function untilCounted(stack: BenchStack, statement: string, count: number): Promise<void> {
  const em = stack.orm.em.fork();
  for (const startedAt = performance.now(); performance.now() - startedAt < patienceMs; await delay(100)) {
    const [row] = await sql<{ count: number }>(em, statement);
    if ((row?.count ?? 0) >= count) return;
  }
  throw new Error('Executions did not end');
}

async function measureExecutions(stack: BenchStack): Promise<Figure[]> {
  const [temporal, sesPort] = await Promise.all([stack.startTemporal(), freePort()]);
  const bare = await measureBareWorkflows(temporal, { count: executions, atATime });
  const ses = await stack.startSes(sesPort);
  await registerSender(ses.url, stack.project.domain);
  const environment = {
    TEMPORAL_ADDRESS: temporal.address,
    SES_ENDPOINT: ses.url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    EMAIL_RATE_PER_SECOND: '100000',
  };
  const api = await stack.startApi(environment);
  const worker = await stack.startWorker(environment);
  const call: Call = async (method, path, body, key = stack.project.secretKey) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  await createWorkflow(stack, call);
  const track = (n: number) =>
    call(
      'POST',
      '/v1/track',
      { event: 'signup', email: `bench-${n}@example.com`, data: { plan: 'pro' } },
      stack.project.publicKey,
    );
  const ended = `select count(*)::int as count from workflow_executions where status = 'EXITED'`;
  const sent = `select count(*)::int as count from emails where sent_at is not null`;
  await pMap(Array.from({ length: 30 }), (_, n) => track(1_000_000 + n), { concurrency: atATime });
  await untilCounted(stack, ended, 30);

  const cpu = watchCpu({
    API: api.pid,
    worker: worker.pid,
    Postgres: stack.postgresPid,
    Temporal: temporal.pid,
  });
  const startedAt = performance.now();
  await pMap(Array.from({ length: executions }), (_, n) => track(n), { concurrency: atATime });
  await untilCounted(stack, ended, executions + 30);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuUsed = cpu(executions);
  await untilCounted(stack, sent, executions + 30);
  const sentAfter = (performance.now() - startedAt) / 1000;
  return [
    {
      work: 'executions, event to exit',
      value: executions / seconds,
      unit: '/s',
      bar: { atLeast: share * bare.perSecond },
      limits: [{ what: 'bare workflows with one activity, same server', value: bare.perSecond }],
      note: `${executions} events, each with an email; ${cpuUsed}; bare: ${bare.cpu}`,
    },
    ...(await countOrders(temporal.address)),
    { work: 'executions, event to the email handed over', value: executions / sentAfter, unit: '/s' },
  ];
}

/** What Temporal had to keep and to hand out for each execution. */
async function countOrders(address: string): Promise<Figure[]> {
  const { workflow, connection } = createTemporalClient({
    environment: { TEMPORAL_ADDRESS: address },
    dataConverter: undefined,
  });
  const countOf = async (kind: JobKind) => (await workflow.count(`JobKind = '${kind}'`)).count;
  const [runs, batches] = await Promise.all([countOf('workflow-execution'), countOf('email-batch')]);
  let events = 0;
  let tasks = 0;
  let looked = 0;
  for await (const { workflowId } of workflow.list({ query: `WorkflowType = 'workflowExecution'` })) {
    const history = await workflow.getHandle(workflowId).fetchHistory();
    events += history.events?.length ?? 0;
    tasks += history.events?.filter((event) => event.workflowTaskStartedEventAttributes).length ?? 0;
    looked += 1;
    if (looked === sample) break;
  }
  await connection.close();
  return [
    { work: 'events in the history of an execution', value: events / looked, unit: 'events' },
    { work: 'workflow tasks of an execution', value: tasks / looked, unit: 'tasks' },
    { work: 'executions whose emails shared one batch workflow', value: runs / batches, unit: 'executions' },
  ];
}

/** How many executions of a workflow with an email start and end a second. */
export function benchWorkflows(): Promise<Figure[]> {
  return withBenchStack(measureExecutions);
}
