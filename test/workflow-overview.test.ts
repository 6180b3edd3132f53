import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { createSegment, memberOf, planIs } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { addStep, arrowsOf, createContact, createWaitingWorkflow, readWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const nothing = { entered: 0, completed: 0, failed: 0, waiting: 0 };

it('counts executions by status, and what happens at each step', async () => {
  const { id, steps } = await createWaitingWorkflow(sender);
  const delay = (await readWorkflow(sender, id)).steps[1].id;
  const exit = await addStep(sender, id, { type: 'EXIT', config: {}, autoConnect: delay });
  const read = async () => (await sender.get(`/workflows/${id}/statistics`)).body;
  const started: string[] = [];
  for (const name of ['ada', 'bea', 'cleo']) {
    const contactId = await createContact(sender, `${name}@example.com`);
    started.push((await sender.post(`/workflows/${id}/executions`, { contactId })).body.id);
  }
  await eventually(read, (body) => body.executions.WAITING === 3);
  await stack.sql(
    `with failed as (update workflow_executions set status = 'FAILED', resume_at = null where id = $1)
     update workflow_step_runs set error = 'broken', completed_at = now() where execution_id = $1`,
    [started[0]],
  );
  await sender.delete(`/workflows/${id}/executions/${started[1]}`);
  const {
    executions,
    stepsOf,
    steps: counted,
  } = await eventually(read, (body) => body.executions.CANCELLED === 1);
  const none = { RUNNING: 0, COMPLETED: 0, EXITED: 0 };
  expect(executions).toEqual({ ...none, total: 3, WAITING: 1, FAILED: 1, CANCELLED: 1 });
  expect(stepsOf).toBe(3);
  expect(counted).toEqual([
    { ...nothing, stepId: steps[0].id, entered: 3, completed: 3 },
    { ...nothing, stepId: delay, entered: 3, failed: 1, waiting: 1 },
    { ...nothing, stepId: exit.id },
  ]);
  const other = await createTestSender(stack.url);
  expect((await other.get(`/workflows/${id}/statistics`)).status).toBe(404);
});

it('duplicates a workflow with its graph, disabled', async () => {
  const { id } = await createWaitingWorkflow(sender, { name: 'N'.repeat(100), description: 'Greets' });
  const delay = (await readWorkflow(sender, id)).steps[1].id;
  const segment = await createSegment(sender, { condition: planIs('pro') });
  const asked = await addStep(sender, id, {
    type: 'CONDITION',
    config: memberOf(segment.id),
    autoConnect: delay,
  });
  for (const branch of ['yes', 'no']) {
    const end = await addStep(sender, id, { type: 'EXIT', name: branch, config: {} });
    await sender.post(`/workflows/${id}/transitions`, { fromStepId: asked.id, toStepId: end.id, branch });
  }
  await sender.patch(`/workflows/${id}`, { enabled: true });
  const original = await readWorkflow(sender, id);
  const { status, body } = await sender.post(`/workflows/${id}/duplicate`, undefined);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: `${'N'.repeat(93)} (Copy)`,
    description: 'Greets',
    enabled: false,
    version: 1,
    liveVersion: 1,
    faults: [],
  });
  expect(await arrowsOf(sender, body.id)).toEqual(await arrowsOf(sender, id));
  const contents = (steps: { id: string; updatedAt: string }[]) =>
    steps.map(({ id: _, updatedAt: __, ...step }) => step);
  expect(contents(body.steps)).toEqual(contents(original.steps));
  const ids = new Set([...original.steps, ...body.steps].map((step: { id: string }) => step.id));
  expect(ids.size).toBe(2 * body.steps.length);
  expect((await sender.patch(`/workflows/${body.id}`, { enabled: true })).status).toBe(200);
  expect(await readWorkflow(sender, id)).toEqual(original);
  await sender.delete(`/workflows/${id}`);
  const kept = await sender.delete(`/segments/${segment.id}`);
  expect(kept.body.error.details.workflows).toMatchObject([{ id: body.id }]);
});
