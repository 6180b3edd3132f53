import { expect, it } from 'vitest';
import { signalLateExecutions } from '../db/statements/sweeps/requeue-commands.ts';
import { sql } from '../db/testing/sql.ts';
import { endOrphanedExecutions, lateSeconds } from '../temporal/activities/sweeps/repair-executions.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { createExecutionWorkflows } from '../temporal/client/execution-workflows.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const client = fileFixture(
  () => createTemporalClient(stack.environment),
  ({ connection }) => connection.close(),
);

const taskQueue = () => stack.environment.TEMPORAL_TASK_QUEUE ?? '';
const signUp = (email: string) => trackEvent(sender, 'signup', {}, email);
const execution = (id: string, status: string) => onlyExecution(sender, id, status);

/** An hour ahead, when work that was just started is old enough to be checked. */
const inAWhile = () => new Date(Date.now() + 60 * 60 * 1000);
const workflowIdOf = ({ id, workflowId, contactId }: { id: string; workflowId: string; contactId: string }) =>
  `workflow/${workflowId}/contact/${contactId}/${id}`;
const handleOf = (shown: Parameters<typeof workflowIdOf>[0]) =>
  client.workflow.getHandle(workflowIdOf(shown));

/** Temporal's visibility lists lag a little. */
const isListed = (shown: Parameters<typeof workflowIdOf>[0]) =>
  eventually(
    () => client.workflow.count(`WorkflowId = '${workflowIdOf(shown)}' and ExecutionStatus = 'Running'`),
    ({ count }) => count === 1,
  );

it("restarts a workflow that Temporal has lost, at the execution's current step", async () => {
  const id = await buildWorkflow(
    sender,
    { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } }, bye: { type: 'EXIT' } },
    [
      ['start', 'nap'],
      ['nap', 'bye'],
    ],
  );
  await signUp('lost@example.com');
  const shown = await execution(id, 'WAITING');
  await handleOf(shown).terminate('lost');
  const commands = (em = stack.em()) =>
    sql(em, `select kind from outbox where kind = 'execution.wake' and subject_id = $1`, [shown.id]);
  await stack.em().transactional(async (em) => {
    await sql(em, `update workflow_executions set resume_at = now() - interval '11 minutes' where id = $1`, [
      shown.id,
    ]);
    await signalLateExecutions(em, lateSeconds);
    // Uncommitted, so that the relay does not deliver it yet.
    expect(await commands(em)).toHaveLength(1);
  });
  expect((await execution(id, 'EXITED')).steps).toMatchObject([{ name: 'nap' }, { name: 'bye' }]);
  await eventually(
    () => commands(),
    (left) => left.length === 0,
  );
  await stack.em().transactional(async (em) => {
    await signalLateExecutions(em, lateSeconds);
    expect(await commands(em)).toEqual([]);
  });
});

it('ends a workflow that missed the end of its execution', async () => {
  const id = await buildWorkflow(sender, { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
    ['start', 'nap'],
  ]);
  await signUp('orphan@example.com');
  const shown = await execution(id, 'WAITING');
  await stack.sql(`delete from workflow_executions where id = $1`, [shown.id]);
  // Before that, only orphans that other tests have left might be found.
  await isListed(shown);
  const workflows = createExecutionWorkflows(client, taskQueue());
  const input = { resumeBefore: 0, now: inAWhile(), budgetMs: 60_000 };
  const found = await endOrphanedExecutions(stack.em(), workflows, input);
  expect(found).toMatchObject({ running: expect.any(Number), resumeBefore: 0 });
  expect(found.orphaned).toBeGreaterThan(0);
  await eventually(
    () => handleOf(shown).describe(),
    ({ status }) => status.name === 'COMPLETED',
  );
});

it('wakes a workflow that missed the event it waits for', async () => {
  const id = await buildWorkflow(
    sender,
    { call: { type: 'WAIT_FOR_EVENT', config: { eventName: 'called' } }, bye: { type: 'EXIT' } },
    [
      ['start', 'call'],
      ['call', 'bye'],
    ],
  );
  await signUp('missed@example.com');
  const shown = await execution(id, 'WAITING');
  const eventAt = (minutesAgo: number) =>
    stack.sql(
      `with heard as (delete from event_listeners where execution_id = $1)
       update workflow_step_runs set branch = 'event', completed_at = now() - make_interval(mins => $2)
       where execution_id = $1 and visit = 1`,
      [shown.id, minutesAgo],
    );
  const workflows = createExecutionWorkflows(client, taskQueue());
  const compare = () =>
    endOrphanedExecutions(stack.em(), workflows, { resumeBefore: 0, now: inAWhile(), budgetMs: 60_000 });
  await isListed(shown);
  // Its command may still be on its way.
  await eventAt(9);
  expect((await compare()).missed).toBe(0);
  await eventAt(11);
  expect((await compare()).missed).toBe(1);
  await execution(id, 'EXITED');
  expect(await eventually(compare, ({ missed }) => missed === 0)).toMatchObject({ missed: 0 });
});

it('continues with older workflows where the previous run ran out of time', async () => {
  const id = await buildWorkflow(sender, { nap: { type: 'DELAY', config: { amount: 1, unit: 'days' } } }, [
    ['start', 'nap'],
  ]);
  const addresses = ['a', 'b', 'c'].map((name) => `${name}@old.example.com`);
  for (const address of addresses) await signUp(address);
  const isThere = ({ body }: { body: { total: number } }) => body.total === 3;
  const { body } = await eventually(() => sender.get(`/workflows/${id}/executions?status=WAITING`), isThere);
  await stack.sql(`update workflow_executions set status = 'CANCELLED' where workflow_id = $1`, [id]);
  const workflows = createExecutionWorkflows(client, taskQueue(), 1);
  let [orphaned, slices] = [0, 0];
  const compareAll = async () => {
    let resumeBefore = 0;
    do {
      const input = { resumeBefore, now: inAWhile(), budgetMs: 0 };
      const found = await endOrphanedExecutions(stack.em(), workflows, input);
      expect(found.running).toBeLessThanOrEqual(1);
      resumeBefore = found.resumeBefore;
      orphaned += found.orphaned;
      slices += 1;
    } while (resumeBefore > 0);
  };
  await eventually(
    async () => {
      // Temporal's visibility lists lag a little.
      await compareAll();
      return Promise.all(
        body.data.map((shown: Parameters<typeof handleOf>[0]) => handleOf(shown).describe()),
      );
    },
    (all) => all.every(({ status }) => status.name === 'COMPLETED'),
  );
  expect(orphaned).toBeGreaterThanOrEqual(3);
  expect(slices).toBeGreaterThan(3);
});

it('ends the executions of an erased contact', async () => {
  const id = await buildWorkflow(
    sender,
    { nap: { type: 'WAIT_FOR_EVENT', config: { eventName: 'never' } }, bye: { type: 'EXIT' } },
    [
      ['start', 'nap'],
      ['nap', 'bye'],
    ],
  );
  await signUp('erased@example.com');
  const shown = await execution(id, 'WAITING');
  expect((await sender.delete(`/contacts/${shown.contactId}`)).status).toBe(204);
  expect(await execution(id, 'CANCELLED')).toMatchObject({ contactId: null, context: {} });
  await eventually(
    () => handleOf(shown).describe(),
    ({ status }) => status.name === 'COMPLETED',
  );
});
