import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { cpuMsSince } from '../../../core/cpu-time.ts';
import { busy } from '../../../core/testing/busy.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { cancelExecution } from '../../../db/statements/workflows/cancel-executions.ts';
import { createOutboundHttp, type OutboundHttp } from '../../../providers/outbound/outbound-http.ts';
import { startHttpServer } from '../../../providers/testing/http-server.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { testFixture } from '../../../test/setup/fixtures.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { callWebhook, type WebhookCaller } from './call-webhook.ts';
import { createGraphCache } from './graph-cache.ts';
import { createCallLimit } from './limit-calls.ts';
import { runStep } from './run-step.ts';
import { graphOf, storeGraph } from './testing/store-graph.ts';

const database = useTestDatabase();
const { em, sql } = database;
let answer: RequestListener;
const receiver = testFixture(
  () => startHttpServer((_request, response, incoming) => answer(incoming, response)),
  ({ close }) => close(),
);
beforeEach(() => {
  answer = (_request, response) => response.end('{"score":7}');
});

const graphs = createGraphCache();
const resolve = async () => ['127.0.0.1'];
const send = createOutboundHttp({ allowHosts: ['127.0.0.1'], resolve, timeoutMs: 30_000 });
const callerOf = (through: OutboundHttp, turns: RenderTurns): Omit<WebhookCaller, 'limit'> => ({
  send: through,
  secretsOf: async () => ['whsec_dGVzdA=='],
  turns,
  linksOf: () => ({ unsubscribeUrl: '', subscribeUrl: '', manageUrl: '', viewUrl: '' }),
});

/** An execution at a WEBHOOK step. */
async function addExecution(context: object = {}, config: object = {}) {
  const [projectId, workflowId, executionId] = [randomUUID(), randomUUID(), randomUUID()];
  const [tracked] = await trackEvents(em(), [trackInput(projectId, `${executionId}@example.com`)]);
  const graph = graphOf([
    { id: randomUUID(), type: 'TRIGGER', name: 'Trigger', config: {} },
    { id: randomUUID(), type: 'WEBHOOK', name: 'hook', config: { url: receiver.url, ...config } },
  ]);
  await storeGraph(em(), workflowId, graph);
  await sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once, context)
     values ($1, $2, $3, 1, $4, true, $5::jsonb)`,
    [executionId, projectId, workflowId, tracked?.contactId, JSON.stringify(context)],
  );
  const input = { executionId, visit: 1 };
  const look = () => em().transactional((inner) => runStep(inner, graphs, input));
  expect(await look()).toMatchObject({ follow: 'call', visit: 1 });
  const call = (
    through: OutboundHttp = send,
    turns = new RenderTurns(1),
    limit = createCallLimit(async () => true),
    attempt?: number,
  ) => callWebhook(database.orm, graphs, { ...callerOf(through, turns), limit }, input, attempt);
  const stand = async () =>
    (
      await sql<{ output: object | null; context: object; error: string | null; status: string }>(
        `select r.output, x.context, r.error, x.status from workflow_executions x
         join workflow_step_runs r on r.execution_id = x.id where x.id = $1`,
        [executionId],
      )
    )[0];
  const cancel = () => cancelExecution(em(), workflowId, executionId);
  const forget = () =>
    sql(`update workflow_step_runs set called_at = called_at - interval '1 minute' where execution_id = $1`, [
      executionId,
    ]);
  return { projectId: projectId ?? '', look, call, stand, cancel, forget };
}

const over = { follow: 'end', status: 'COMPLETED' };

it('stores the response', async () => {
  const { look, call, stand } = await addExecution();
  await call();
  const answered = { statusCode: 200, body: { score: 7 } };
  expect(await stand()).toMatchObject({ output: answered, context: { hook: answered }, error: null });
  await call();
  expect(receiver.requests).toHaveLength(1);
  expect(await look()).toEqual(over);
});

it('parses JSON behind a byte order mark', async () => {
  answer = (_request, response) => response.end('\ufeff{"score":7}');
  const { call, stand } = await addExecution();
  await call();
  expect(await stand()).toMatchObject({ context: { hook: { statusCode: 200, body: { score: 7 } } } });
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it.each([
  ['a NUL', '{"name":"a\\u0000b"}'],
  ['half a surrogate pair', '{"name":"\\ud83d"}'],
  ['half a surrogate pair as a key', '{"\\ude00":1}'],
  ['101 levels', nested(101)],
  ['30,000 levels', nested(30_000)],
])('stores JSON that Postgres rejects as text: %s', async (_what, text) => {
  answer = (_request, response) => response.end(text);
  const { look, call, stand } = await addExecution();
  await call();
  const answered = { statusCode: 200, body: text };
  expect(await stand()).toMatchObject({ output: answered, context: { hook: answered }, error: null });
  expect(receiver.requests).toHaveLength(1);
  expect(await look()).toEqual(over);
});

it('does not repeat a call that may have been answered before its process died', async () => {
  const { look, call, stand, forget } = await addExecution();
  await expect(
    call(async (...request) => {
      await send(...request);
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  await forget();
  await call();
  const lost = { statusCode: null, body: null };
  expect(await stand()).toEqual({
    output: lost,
    context: { hook: lost },
    error: expect.stringContaining('was lost'),
    status: 'RUNNING',
  });
  expect(receiver.requests).toHaveLength(1);
  expect(await look()).toEqual(over);
});

it('retries a call that never left', async () => {
  const { call, stand } = await addExecution();
  const dead = createOutboundHttp({ allowHosts: ['127.0.0.1'], resolve });
  await expect(
    call(async (request, mayGoOut) => dead({ ...request, url: 'http://127.0.0.1:1/' }, mayGoOut)),
  ).rejects.toThrow('ECONNREFUSED');
  await call();
  expect(await stand()).toMatchObject({ output: { statusCode: 200 }, error: null });
});

it.each<[string, RequestListener]>([
  ['breaks off', (request) => request.socket.destroy()],
  ['is 503', (_request, response) => response.writeHead(503).end()],
  ['is 429', (_request, response) => response.writeHead(429).end()],
])('retries when the response %s', async (_name, listener) => {
  const { call, stand } = await addExecution();
  answer = listener;
  await expect(call()).rejects.toThrow();
  answer = (_request, response) => response.writeHead(404).end('none');
  await call();
  expect(await stand()).toMatchObject({ output: { statusCode: 404, body: 'none' }, error: null });
  expect(receiver.requests).toHaveLength(2);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

it('is made once by two concurrent attempts', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { look, call, stand } = await addExecution();
    await Promise.all([call(), call()]);
    await look();
    expect(await stand()).toMatchObject({ output: { statusCode: 200 }, error: null });
  }
  expect(receiver.requests).toHaveLength(10);
});

it('is not made after the execution is canceled', async () => {
  const { call, stand, cancel } = await addExecution();
  await call(async (request, mayGoOut) => {
    await cancel();
    return send(request, mayGoOut);
  });
  expect(receiver.requests).toEqual([]);
  expect(await stand()).toMatchObject({ output: null, status: 'CANCELLED' });
});

it('keeps an execution canceled whose call was in flight', async () => {
  const { look, call, stand, cancel } = await addExecution();
  answer = (_request, response) => void cancel().then(() => response.end('late'));
  await call();
  expect(await stand()).toMatchObject({ output: null, context: {}, status: 'CANCELLED' });
  expect(await look()).toEqual({ follow: 'end', status: 'CANCELLED' });
});

it('ends an execution whose context would exceed its limit', async () => {
  const { look, call, stand } = await addExecution({ seen: 'x'.repeat(250 * 1024) });
  answer = (_request, response) => response.end('y'.repeat(20 * 1024));
  await call();
  expect(await stand()).toMatchObject({
    status: 'FAILED',
    error: 'hook: the context has grown beyond 256 KB',
  });
  expect(await look()).toEqual({ follow: 'end', status: 'FAILED' });
});

/** Blocks a process for some 10 ms each, well within the limits of one rendering. */
const loop =
  '{% for i in (1..30) %}{% for j in (1..100) %}{% if i == j %}x{% endif %}{% endfor %}{% endfor %}';

it('renders all texts of a call within the time of one rendering', async () => {
  const { call } = await addExecution({}, { body: Array.from({ length: 200 }, () => loop) });
  const before = process.threadCpuUsage();
  await expect(call()).rejects.toMatchObject({
    message: 'The templates of the call exceed the time limit of a rendering',
    nonRetryable: true,
  });
  expect(cpuMsSince(before)).toBeLessThan(500);
  expect(receiver.requests).toEqual([]);
});

it('gives others a turn while it renders', async () => {
  const { call } = await addExecution({}, { body: Array.from({ length: 50 }, () => '{{ id }}') });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  await call();
  isOver = true;
  expect(turns).toBeGreaterThan(50);
  expect(receiver.requests).toHaveLength(1);
});

async function makeSlow(turns: RenderTurns, projectId: string): Promise<void> {
  const turn = await turns.take(projectId);
  for (let n = 0; n < 3; n += 1) {
    turn.render(() => busy(30));
    await turn.pause();
  }
  turn.end();
}

it('takes one turn for all its templates', async () => {
  const { projectId, call } = await addExecution({}, { body: Array.from({ length: 20 }, () => '{{ id }}') });
  const turns = new RenderTurns(0);
  await makeSlow(turns, projectId);
  const take = vi.spyOn(turns, 'take');
  await call(send, turns);
  expect(take).toHaveBeenCalledTimes(1);
  expect(receiver.requests).toHaveLength(1);
});

it('is put off while enough work of its project waits for its turn to render', async () => {
  const { projectId, call, stand } = await addExecution({}, { body: '{{ id }}' });
  const plain = await addExecution();
  const turns = new RenderTurns(0);
  await makeSlow(turns, projectId);
  const waiting = Array.from({ length: 11 }, () => turns.take(projectId));
  const endAll = async () => {
    for (const turn of waiting) (await turn).end();
  };
  onTestFinished(endAll);
  const queued = Promise.withResolvers<'queued'>();
  vi.spyOn(turns, 'take').mockImplementationOnce(() => {
    queued.resolve('queued');
    return new Promise(() => undefined);
  });
  const putOff = await Promise.race([call(send, turns), queued.promise]);
  expect(putOff).toEqual({ retryInMs: expect.any(Number) });
  vi.restoreAllMocks();
  expect(receiver.requests).toEqual([]);
  await plain.call(send, turns);
  expect(receiver.requests).toHaveLength(1);
  await endAll();
  expect(await call(send, turns)).toBeUndefined();
  expect(await stand()).toMatchObject({ output: { statusCode: 200 } });
});

it('is put off, before its templates are rendered, while enough calls of its project are under way', async () => {
  const { projectId, call } = await addExecution({}, { body: '{{ id }}' });
  const limit = createCallLimit(async () => true);
  const underWay = Promise.withResolvers<void>();
  onTestFinished(() => underWay.resolve());
  for (let calls = 0; calls < 8; calls += 1) void limit.run(projectId, () => underWay.promise);
  const turns = new RenderTurns(0);
  const take = vi.spyOn(turns, 'take');
  expect(await call(send, turns, limit)).toEqual({ retryInMs: expect.any(Number) });
  expect(take).not.toHaveBeenCalled();
  expect(receiver.requests).toEqual([]);
});

it('waits before a retry even if another call ends meanwhile', async () => {
  const { projectId, call } = await addExecution();
  const woken: string[] = [];
  const limit = createCallLimit(async (temporalId) => woken.push(temporalId) > 0);
  const underWay = Promise.withResolvers<void>();
  const others = Array.from({ length: 8 }, () => limit.run(projectId, () => underWay.promise));
  expect(await call(send, new RenderTurns(1), limit, 2)).toEqual({ retryInMs: expect.any(Number) });
  underWay.resolve();
  await Promise.all(others);
  expect(woken).toEqual([]);
  const last = limit.run(projectId, () => new Promise((done) => setTimeout(done, 1)));
  limit.putOff(projectId, 'another');
  await last;
  expect(woken).toEqual(['another']);
});

const padded = (bytes: number) => '{{ id }}'.padEnd(bytes, '-');
const longHeaders = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`X-${n}`, padded(4_096)]));

it.each([
  [
    'At most 250 texts of a call may contain Liquid, and these are 1200',
    { body: Array.from({ length: 1_200 }, () => padded(10)) },
  ],
  [
    'The texts of a call that contain Liquid may have 64 KB together, and these have 81',
    { body: padded(40_960), headers: longHeaders },
  ],
])('refuses a call stored when more Liquid was accepted: %s', async (message, config) => {
  const { call } = await addExecution({}, config);
  await expect(call()).rejects.toMatchObject({ message, nonRetryable: true });
  expect(receiver.requests).toEqual([]);
});
