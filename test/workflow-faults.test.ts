import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCountingSink } from './setup/counting-sink.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { buildWorkflow } from './setup/running-workflows.ts';
import { useOneSender } from './setup/sender.ts';
import { createTemplate } from './setup/templates.ts';

const stack = useProcessStack({
  API_RATE_LIMIT_PER_MINUTE: '0',
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  UNKNOWN_OUTCOME_SECONDS: '10',
});
beforeAll(async () => {
  await stack.startApi();
});
const sender = useOneSender(stack);
const sink = fileFixture(
  () =>
    startCountingSink((body, before) => {
      const { n } = JSON.parse(body);
      if (before === 0 && n % 25 === 3) return 'reset';
      return { status: before === 0 && n % 25 === 7 ? 503 : 200, afterMs: n % 50 };
    }),
  ({ close }) => close(),
);

/** As many as a busy machine can handle; set `EXECUTIONS=500` for more. */
const contacts = Number(process.env.EXECUTIONS ?? 100);
/** The first ones also go through a delay and a wait. */
const patient = contacts / 5;
const kills = contacts / 50;

async function createGraph(): Promise<string> {
  const steps = {
    mail: { type: 'SEND_EMAIL', config: { templateId: await createTemplate(sender) } },
    slow: { type: 'CONDITION', config: { field: 'event.n', operator: 'lessThan', value: patient } },
    nap: { type: 'DELAY', config: { amount: 0.01, unit: 'minutes' } },
    wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid' } },
    hook: { type: 'WEBHOOK', config: { url: sink.url, body: '{"n":{{ data.n }}}' } },
    mark: { type: 'UPDATE_CONTACT', config: { data: { hooked: true } } },
    kept: { type: 'EXIT', config: { reason: 'kept' } },
  };
  return buildWorkflow(sender, steps, [
    ['start', 'mail'],
    ['mail', 'slow'],
    ['slow', 'nap', 'yes'],
    ['slow', 'hook', 'no'],
    ['nap', 'wait'],
    ['wait', 'hook'],
    ['hook', 'mark'],
    ['mark', 'kept'],
  ]);
}

async function track(event: string, numbers: number[]): Promise<void> {
  for (let from = 0; from < numbers.length; from += 50) {
    const answers = await Promise.all(
      numbers
        .slice(from, from + 50)
        .map((n) => sender.post('/v1/track', { event, email: `c${n}@example.com`, data: { n } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
}

it('loses and repeats nothing, however often a worker is killed', { timeout: 600_000 }, async () => {
  const workflowId = await createGraph();
  const read = <Row extends object>(text: string) => stack.sql<Row>(text, [workflowId]);
  const progress = async () =>
    (
      await read<{ done: number; open: number }>(
        `select count(r.completed_at)::int as done,
           count(distinct x.id) filter (where x.status in ('RUNNING', 'WAITING'))::int as open
         from workflow_executions x left join workflow_step_runs r on r.execution_id = x.id
         where x.workflow_id = $1`,
      )
    )[0] ?? { done: 0, open: 0 };

  let worker = await stack.startWorker();
  const numbers = Array.from({ length: contacts }, (_, n) => n);
  await track('signup', numbers);
  // Contacts pay before the wait, while it is entered, and during it; one that has not finished yet pays again.
  const paying = (async () => {
    while ((await progress()).open > 0) {
      const waiting = await read<{ n: number }>(
        `select substr(split_part(c.email, '@', 1), 2)::int as n
         from workflow_executions x join contacts c on c.id = x.contact_id
         where x.workflow_id = $1 and x.status = 'WAITING'`,
      );
      await track(
        'paid',
        waiting.map(({ n }) => n),
      );
      await delay(500);
    }
  })();
  for (let killed = 0; killed < kills; killed += 1) {
    const { done } = await progress();
    const enough = done + contacts * (0.1 + Math.random());
    await eventually(progress, (now) => now.done > enough || now.open === 0, 200_000);
    await worker.kill();
    worker = await stack.startWorker();
  }
  await paying;

  const executions = await read<object>(
    `select status, exit_reason as reason, runs::int, count(*)::int as count
     from workflow_executions x
     cross join lateral (
       select count(*) as runs from workflow_step_runs r
       where r.execution_id = x.id and r.completed_at is not null) r
     where workflow_id = $1 group by status, exit_reason, runs order by runs`,
  );
  const ended = { status: 'EXITED', reason: 'kept' };
  expect(executions).toEqual([
    { ...ended, runs: 5, count: contacts - patient },
    { ...ended, runs: 7, count: patient },
  ]);

  // Each answered call was recorded, or was in flight when its worker died; none was repeated after that.
  const calls = await read<{ isKept: boolean; count: number }>(
    `select (r.output -> 'statusCode' = '200') as "isKept", count(*)::int as count
     from workflow_step_runs r join workflow_executions x on x.id = r.execution_id
     where x.workflow_id = $1 and r.output ? 'statusCode' group by 1`,
  );
  const countOf = (isKept: boolean) => calls.find((one) => one.isKept === isKept)?.count ?? 0;
  const [kept, inDoubt] = [countOf(true), countOf(false)];
  expect(kept + inDoubt).toBe(contacts);
  const successes = [...sink.calls.values()].map(
    ({ answered }) => answered.filter((status) => status === 200).length,
  );
  expect(Math.max(...successes)).toBe(1);
  const answered = successes.filter((count) => count === 1).length;
  expect(answered).toBeGreaterThanOrEqual(kept);
  expect(answered).toBeLessThanOrEqual(kept + inDoubt);

  const inbox = await eventually(
    () => stack.inbox(),
    ({ total }) => total >= contacts,
  );
  expect(inbox.total).toBe(contacts);
  expect(new Set(inbox.messages.map(({ to }) => to[0])).size).toBe(contacts);
});

/** `CALLS=300` takes a minute longer: after the kill only its own timer, four a second, brings back a call. */
const calls = Number(process.env.CALLS ?? 40);

it('makes each call that waited in line once, after the worker with the line was killed', {
  timeout: 600_000,
}, async () => {
  let isSlow = true;
  const receiver = await startCountingSink(() => ({ status: 200, afterMs: isSlow ? 9_000 : 0 }));
  onTestFinished(() => receiver.close());
  const steps = {
    hook: { type: 'WEBHOOK', config: { url: receiver.url, body: '{}' } },
    called: { type: 'EXIT', config: { reason: 'called' } },
  };
  const workflowId = await buildWorkflow(
    sender,
    steps,
    [
      ['start', 'hook'],
      ['hook', 'called'],
    ],
    { eventName: 'asked' },
  );
  const read = <Row extends object>(text: string) => stack.sql<Row>(text, [workflowId]);
  const worker = await stack.runningWorker();
  await track('asked', [...Array(calls).keys()]);
  // A project has eight calls to a receiver that has not answered.
  await eventually(
    async () => receiver.calls.size,
    (arrived) => arrived >= 8,
  );
  await worker.kill();
  const killedAt = new Date();
  isSlow = false;
  const [line] = await read<{ count: number }>(
    `select count(*)::int from workflow_executions x where workflow_id = $1
       and not exists (select from workflow_step_runs r where r.execution_id = x.id and r.called_at is not null)`,
  );
  const waited = line?.count ?? 0;
  expect(waited).toBeGreaterThan(0);
  await stack.startWorker();
  const ended = () =>
    read<{ count: number }>(
      "select count(*)::int from workflow_executions where workflow_id = $1 and exit_reason = 'called'",
    );
  await eventually(ended, ([found]) => found?.count === calls, 300_000);
  const since = [...receiver.calls.values()]
    .map(({ arrivedAt }) => arrivedAt.filter((at) => at > killedAt).length)
    .filter((count) => count > 0);
  expect(Math.max(...since)).toBe(1);
  expect(since.length).toBeGreaterThanOrEqual(waited);
});
