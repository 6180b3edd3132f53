import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../db/testing/sql.ts';
import { freePort } from '../local/testing/free-port.ts';
import { measureAcceptance } from './acceptance.ts';
import { measureSendStatement } from './bare-statements.ts';
import type { BenchClickHouse } from './bench-clickhouse.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { requireStatus, runLoad } from './http-load.ts';
import { readInbox, sentEmailId } from './inbox.ts';
import { percentile } from './percentile.ts';
import { measureQuietCpu } from './quiet-cpu.ts';
import type { BenchRun } from './report.ts';
import { createSendBodies } from './requests.ts';
import { measureSesCalls, registerSender } from './ses-calls.ts';

const connections = 100;
const path = '/v1/send';
const idleSends = 20;
const sustainedSeconds = 10;
const patienceMs = 30_000;

type Load = { nextBody: () => string; connections: number };

async function receivedAtOf(inboxUrl: string, emailId: string): Promise<Date> {
  for (const startedAt = Date.now(); Date.now() - startedAt < patienceMs; ) {
    const { messages } = await readInbox(inboxUrl, { limit: 5 });
    const message = messages.find((each) => each.emailId === emailId);
    if (message !== undefined) return message.receivedAt;
    await delay(50);
  }
  throw new Error('An email was not handed over');
}

/** Milliseconds from each response until the provider has the email. */
async function measureIdle(
  url: string,
  inboxUrl: string,
  headers: Record<string, string>,
  nextBody: () => string,
): Promise<number[]> {
  const latencies: number[] = [];
  for (let n = 0; n < idleSends + 3; n += 1) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: nextBody(),
    });
    const answeredAt = Date.now();
    const receivedAt = await receivedAtOf(inboxUrl, sentEmailId(await answer.json()));
    // The first ones warm up caches and connections.
    if (n >= 3) latencies.push(receivedAt.getTime() - answeredAt);
    await delay(100);
  }
  return latencies;
}

async function countBatches(stack: BenchStack, since: Date): Promise<number> {
  const [row] = await sql<{ batches: number }>(
    stack.orm.em.fork(),
    'select count(distinct claim_token)::int as batches from emails where created_at >= $1',
    [since],
  );
  return row?.batches ?? 0;
}

/** Emails per second from the first call to the last hand-over. */
async function measureSustained(
  stack: BenchStack,
  port: number,
  inboxUrl: string,
  headers: Record<string, string>,
  load: Load,
  pids: Record<string, number>,
): Promise<{ ratePerSecond: number; note: string }> {
  const inboxTotal = async () => (await readInbox(inboxUrl, { limit: 0 })).total;
  const before = await inboxTotal();
  const handedOver = async () => (await inboxTotal()) - before;
  const since = new Date();
  const cpu = watchCpu(pids);
  const target = { port, path, headers };
  const offered = requireStatus(
    await runLoad({ ...load, target, seconds: sustainedSeconds, warmUpSeconds: 0 }),
    200,
  );
  const acceptedBy = Date.now();
  const sentWhileAccepting = await handedOver();
  let sent = sentWhileAccepting;
  while (sent < offered.total && Date.now() - acceptedBy < patienceMs) {
    await delay(100);
    sent = await handedOver();
  }
  const seconds = (Date.now() - since.getTime()) / 1000;
  const used = cpu(sent);
  return {
    ratePerSecond: sent / seconds,
    note:
      `${offered.total} accepted at ${offered.ratePerSecond.toFixed(0)}/s, ${sentWhileAccepting} of them handed over ` +
      `meanwhile, ${offered.total - sent} left open, ${(sent / (await countBatches(stack, since))).toFixed(0)} a batch; ${used}`,
  };
}

interface Processes {
  stack: BenchStack;
  temporalPid: number;
  sesPid: number;
  clickhouse: BenchClickHouse;
  environment: Record<string, string>;
}

async function startProcesses({ stack, temporalPid, sesPid, clickhouse, environment }: Processes) {
  const worker = await stack.startWorker({ ...environment, ...clickhouse.environment });
  const api = await stack.startApi(environment);
  return {
    port: api.port,
    pids: {
      API: api.pid,
      worker: worker.pid,
      Postgres: stack.postgresPid,
      Temporal: temporalPid,
      SES: sesPid,
      ClickHouse: clickhouse.pid,
    },
    stop: () => Promise.all([api.stop(), worker.stop()]),
  };
}

/** Runs before any load, after which Postgres would still be vacuuming. */
async function reportQuiet(
  processes: Processes,
  inboxUrl: string,
  nextBody: () => string,
  report: BenchRun['report'],
): Promise<void> {
  const headers = { Authorization: `Bearer ${processes.stack.project.secretKey}` };
  const { port, pids, stop } = await startProcesses(processes);
  const url = `http://127.0.0.1:${port}${path}`;
  const idle = await measureIdle(url, inboxUrl, headers, nextBody);
  report({
    work: 'idle, from the answer to the hand-over, p50',
    value: percentile(idle, 0.5),
    unit: 'ms',
    bar: { below: 20 },
    note: `p90 ${percentile(idle, 0.9)} ms, most ${percentile(idle, 1)} ms of ${idle.length}`,
  });
  report(await measureQuietCpu(pids, url, headers, nextBody));
  await stop();
}

export function benchSend(run: BenchRun): Promise<void> {
  const { report } = run;
  return withBenchStack(async (stack) => {
    const headers = { Authorization: `Bearer ${stack.project.secretKey}` };
    const load = { nextBody: createSendBodies(stack.project), connections };
    const [sesPort, temporal, clickhouse] = await Promise.all([
      freePort(),
      stack.startTemporal(),
      stack.startClickHouse(),
    ]);
    const ses = await stack.startSes(sesPort);
    await registerSender(ses.url, stack.project.domain);
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      SES_ENDPOINT: ses.url,
      SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
    };
    const processes = { stack, temporalPid: temporal.pid, sesPid: ses.pid, clickhouse, environment };
    await reportQuiet(processes, ses.url, load.nextBody, report);

    const forgetCommands = () => sql(stack.orm.em.fork(), 'truncate outbox');
    await measureAcceptance(stack, run, {
      path,
      key: stack.project.secretKey,
      nextBody: load.nextBody,
      // No worker runs, so that the API and its transactions are measured alone.
      environment: { ...environment, TEMPORAL_TASK_QUEUE: 'nobody' },
      async measureStatement() {
        const perSecond = await measureSendStatement(stack);
        await forgetCommands();
        return perSecond;
      },
      items: 'emails',
      bar: 2_000,
      p99BarMs: 50,
    });
    await forgetCommands();
    const sesCalls = await measureSesCalls(ses.url);

    const { port, pids } = await startProcesses(processes);
    const sustained = await measureSustained(stack, port, ses.url, headers, load, pids);
    report({
      work: 'sustained through to the hand-over',
      value: sustained.ratePerSecond,
      unit: '/s',
      bar: { atLeast: 800 },
      limits: [{ what: 'single SES calls alone, one process', value: sesCalls }],
      note: sustained.note,
    });
  });
}
