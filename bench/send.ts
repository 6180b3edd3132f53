import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../db/sql.ts';
import { itemsPerBatch, measureSendStatement } from './bare-statements.ts';
import { type BenchStack, freePort, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { presentLatencies, requireStatus, runLoad } from './http-load.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';
import { createSendBodies } from './requests.ts';
import { measureSesCalls, registerSender } from './ses-calls.ts';

const connections = 100;
const bar = 2_000;
const path = '/v1/send';
const idleSends = 20;
const sustainedSeconds = 10;
const patienceMs = 30_000;

const answerSchema = z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) });
const inboxSchema = z.object({
  messages: z.array(z.object({ emailId: z.string().nullable(), receivedAt: z.coerce.date() })),
});

type Load = { nextBody: () => string; connections: number };

/** How much is accepted while nobody hands over, so that what is measured is the API and its transactions. */
async function measureAcceptance(
  stack: BenchStack,
  environment: Record<string, string>,
  headers: Record<string, string>,
  load: Load,
): Promise<Figure[]> {
  const bare = await stack.startApi(environment, 'bench/bare-api.ts');
  const bareTarget = { port: bare.port, path, headers };
  const route = requireStatus(await runLoad({ ...load, target: bareTarget, seconds: 3 }), 200);
  await bare.stop();
  const statement = await measureSendStatement(stack);
  await sql(stack.orm.em.fork(), 'truncate outbox');

  const api = await stack.startApi({ ...environment, TEMPORAL_TASK_QUEUE: 'nobody' });
  const target = { port: api.port, path, headers };
  const cpu = watchCpu({ API: api.pid, Postgres: stack.postgresPid });
  const most = requireStatus(await runLoad({ ...load, target, seconds: 7, warmUpSeconds: 2 }), 200);
  const cpuUsed = cpu(most.total);
  const paced = { ...load, target, seconds: 5, warmUpSeconds: 1, ratePerSecond: bar / 2 };
  const half = requireStatus(await runLoad(paced), 200);
  await api.stop();
  await sql(stack.orm.em.fork(), 'truncate outbox');
  return [
    {
      work: 'accepted',
      value: most.ratePerSecond,
      unit: '/s',
      bar: { atLeast: bar },
      limits: [
        { what: 'the route without its transaction', value: route.ratePerSecond },
        { what: `the shared statement alone, ${itemsPerBatch} emails each`, value: statement },
      ],
      note: `${connections} connections; ${presentLatencies(most)}; ${cpuUsed}`,
    },
    {
      work: `p99 at ${(bar / 2).toLocaleString('en-US')}/s`,
      value: percentile(half.latenciesMs, 0.99),
      unit: 'ms',
      bar: { below: 50 },
      note: `answered ${half.ratePerSecond.toFixed(0)}/s; ${presentLatencies(half)}`,
    },
  ];
}

async function receivedAtOf(inboxUrl: string, emailId: string): Promise<Date> {
  for (const startedAt = Date.now(); Date.now() - startedAt < patienceMs; ) {
    const answer = await fetch(`${inboxUrl}/api/messages?limit=5`);
    const { messages } = inboxSchema.parse(await answer.json());
    const message = messages.find((each) => each.emailId === emailId);
    if (message !== undefined) return message.receivedAt;
    await delay(50);
  }
  throw new Error('An email was not handed over');
}

/** One email after the other on an idle system: from the answer until the provider has it, in milliseconds. */
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
    const { data } = answerSchema.parse(await answer.json());
    const receivedAt = await receivedAtOf(inboxUrl, data.emails[0]?.email ?? '');
    // The first ones warm up caches and connections.
    if (n >= 3) latencies.push(receivedAt.getTime() - answeredAt);
    await delay(100);
  }
  return latencies;
}

interface HandedOver {
  sent: number;
  open: number;
  /** Runs that handed them over. */
  batches: number;
}

/** How many emails accepted since `since` are handed over, and how many are not. */
async function countHandedOver(stack: BenchStack, since: Date): Promise<HandedOver> {
  const [row] = await sql<HandedOver>(
    stack.orm.em.fork(),
    `select count(*) filter (where status not in ('QUEUED', 'SENDING', 'UNKNOWN'))::int as sent,
       count(*) filter (where status in ('QUEUED', 'SENDING', 'UNKNOWN'))::int as open,
       count(distinct claim_token)::int as batches
     from emails where created_at >= $1`,
    [since],
  );
  return row ?? { sent: 0, open: 0, batches: 0 };
}

/** Sends for some seconds as fast as calls are accepted; emails a second from the first call to the last hand-over. */
async function measureSustained(
  stack: BenchStack,
  port: number,
  headers: Record<string, string>,
  load: Load,
  pids: Record<string, number>,
): Promise<{ ratePerSecond: number; note: string }> {
  const since = new Date();
  const cpu = watchCpu(pids);
  const target = { port, path, headers };
  const offered = requireStatus(
    await runLoad({ ...load, target, seconds: sustainedSeconds, warmUpSeconds: 0 }),
    200,
  );
  const acceptedBy = Date.now();
  let handedOver = await countHandedOver(stack, since);
  const sentWhileAccepting = handedOver.sent;
  while (handedOver.open > 0 && Date.now() - acceptedBy < patienceMs) {
    await delay(100);
    handedOver = await countHandedOver(stack, since);
  }
  const seconds = (Date.now() - since.getTime()) / 1000;
  return {
    ratePerSecond: handedOver.sent / seconds,
    note:
      `${offered.total} accepted at ${offered.ratePerSecond.toFixed(0)}/s, ${sentWhileAccepting} of them handed over ` +
      `meanwhile, ${handedOver.open} left open, ${(handedOver.sent / handedOver.batches).toFixed(0)} a batch; ${cpu(handedOver.sent)}`,
  };
}

/** `/v1/send` with API, worker and local SES as processes of their own. */
export function benchSend(): Promise<Figure[]> {
  return withBenchStack(async (stack) => {
    const headers = { Authorization: `Bearer ${stack.project.secretKey}` };
    const load = { nextBody: createSendBodies(stack.project), connections };
    const [sesPort, temporal] = await Promise.all([freePort(), stack.startTemporal()]);
    const ses = await stack.startSes(sesPort);
    await registerSender(ses.url, stack.project.domain);
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      SES_ENDPOINT: ses.url,
      SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
    };
    const acceptance = await measureAcceptance(stack, environment, headers, load);
    const sesCalls = await measureSesCalls(ses.url);

    const worker = await stack.startWorker({
      ...environment,
      CLICKHOUSE_EMBEDDED_PATH: `${stack.directory}/clickhouse`,
    });
    const api = await stack.startApi(environment);
    const idle = await measureIdle(`http://127.0.0.1:${api.port}${path}`, ses.url, headers, load.nextBody);
    const pids = {
      API: api.pid,
      worker: worker.pid,
      Postgres: stack.postgresPid,
      Temporal: temporal.pid,
      SES: ses.pid,
    };
    const sustained = await measureSustained(stack, api.port, headers, load, pids);
    return [
      ...acceptance,
      {
        work: 'idle, from the answer to the hand-over, p50',
        value: percentile(idle, 0.5),
        unit: 'ms',
        bar: { below: 250 },
        note: `p90 ${percentile(idle, 0.9)} ms, most ${percentile(idle, 1)} ms of ${idle.length}`,
      },
      {
        work: 'sustained through to the hand-over',
        value: sustained.ratePerSecond,
        unit: '/s',
        bar: { atLeast: 800 },
        limits: [{ what: 'single SES calls alone, one process', value: sesCalls }],
        note: sustained.note,
      },
    ];
  });
}
