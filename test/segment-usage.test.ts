import { expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { allProjects } from '../db/entities/project-em.ts';
import { Workflow } from '../db/entities/workflow.ts';
import { lockRecord } from '../db/lock-record.ts';
import { startExecution } from '../db/statements/workflows/start-execution.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createSegment, memberOf, planIs } from './setup/segments.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { addStep, createContact, createWorkflow, readWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

/** A segment, and an enabled workflow that waits for a day and then asks for its members. */
async function build() {
  const segment = await createSegment(sender, { condition: planIs('pro') });
  const steps = {
    day: { type: 'DELAY', config: { amount: 1, unit: 'days' } },
    ask: { type: 'CONDITION', config: memberOf(segment.id.toUpperCase()) },
    end: { type: 'EXIT' },
  };
  const workflowId = await buildWorkflow(sender, steps, [
    ['start', 'day'],
    ['day', 'ask'],
    ['ask', 'end', 'yes'],
    ['ask', 'end', 'no'],
  ]);
  const workflow = await readWorkflow(sender, workflowId);
  const stepId = (wanted: string) => workflow.steps.find(({ name }: { name: string }) => name === wanted).id;
  const removeQuestion = async (splice: boolean) => {
    const answer = await sender.delete(`/workflows/${workflowId}/steps/${stepId('ask')}?splice=${splice}`);
    expect(answer.status).toBe(204);
  };
  const remove = () => sender.delete(`/segments/${segment.id}`);
  return { workflowId, version: workflow.version, remove, removeQuestion, endId: stepId('end') };
}

it("a segment that only running executions use can't be deleted until they end", async () => {
  const { workflowId, version, remove, removeQuestion } = await build();
  await trackEvent(sender, 'signup');
  await onlyExecution(sender, workflowId, 'WAITING');
  await removeQuestion(true);
  const refused = await remove();
  expect(refused.status, JSON.stringify(refused.body)).toBe(409);
  expect(refused.body.error).toMatchObject({
    code: 'CONFLICT',
    details: { workflowVersions: [{ workflowId, workflowName: 'Welcome', version }] },
  });
  await sender.post(`/workflows/${workflowId}/executions/cancel-all`, {});
  expect((await remove()).status).toBe(204);
});

it("a segment that new executions would use can't be deleted", async () => {
  const { workflowId, remove, removeQuestion, endId } = await build();
  // The exit is now unreachable, so the workflow continues with the previous version.
  await removeQuestion(false);
  expect((await remove()).status).toBe(409);
  await sender.delete(`/workflows/${workflowId}/steps/${endId}`);
  expect((await remove()).status).toBe(204);
});

it("a segment whose entry or exit a workflow starts with or waits for can't be deleted", async () => {
  const segment = await createSegment(sender, {
    name: 'VIP',
    condition: planIs('pro'),
    trackMembership: true,
  });
  const starts = await createWorkflow(sender, { name: 'Starts', eventName: `segment.${segment.slug}.entry` });
  const waits = await createWorkflow(sender, { name: 'Waits' });
  const step = { type: 'WAIT_FOR_EVENT', config: { eventName: `segment.${segment.slug}.exit` } };
  await addStep(sender, waits.id, step);
  const refused = await sender.delete(`/segments/${segment.id}`);
  expect(refused.status, JSON.stringify(refused.body)).toBe(409);
  expect(refused.body.error.details).toEqual({
    workflows: [
      { id: waits.id, name: 'Waits' },
      { id: starts.id, name: 'Starts' },
    ],
  });
  for (const { id } of [starts, waits]) expect((await sender.delete(`/workflows/${id}`)).status).toBe(204);
  expect((await sender.delete(`/segments/${segment.id}`)).status).toBe(204);
});

/** A tracked segment, and an enabled workflow that waits for its exit. */
async function buildWaiting() {
  const condition = planIs('pro');
  const segment = await createSegment(sender, { name: 'Clients', condition, trackMembership: true });
  const steps = {
    wait: { type: 'WAIT_FOR_EVENT', config: { eventName: `segment.${segment.slug}.exit`, timeout: 86_400 } },
    end: { type: 'EXIT' },
  };
  const workflowId = await buildWorkflow(sender, steps, [
    ['start', 'wait'],
    ['wait', 'end', 'event'],
    ['wait', 'end', 'timeout'],
  ]);
  const { version, steps: built } = await readWorkflow(sender, workflowId);
  const { id } = built.find(({ type }: { type: string }) => type === 'WAIT_FOR_EVENT');
  const removeWait = async () => {
    const answer = await sender.delete(`/workflows/${workflowId}/steps/${id}?splice=true`);
    expect(answer.status).toBe(204);
  };
  const path = `/segments/${segment.id}`;
  const untrack = () => sender.patch(path, { trackMembership: false });
  return { workflowId, version, removeWait, path, untrack };
}

it("a segment whose exit only running executions wait for can't be deleted or untracked until they end", async () => {
  const { workflowId, version, removeWait, path, untrack } = await buildWaiting();
  await trackEvent(sender, 'signup');
  await onlyExecution(sender, workflowId, 'WAITING');
  await removeWait();
  for (const refused of [await sender.delete(path), await untrack()]) {
    expect(refused.status, JSON.stringify(refused.body)).toBe(409);
    expect(refused.body.error.details).toEqual({
      workflowVersions: [{ workflowId, workflowName: 'Welcome', version }],
    });
  }
  await sender.post(`/workflows/${workflowId}/executions/cancel-all`, {});
  expect((await untrack()).status).toBe(200);
  expect((await sender.delete(path)).status).toBe(204);
});

it('a segment whose entry or exit a workflow starts with, waits for or asks for stays tracked', async () => {
  const segment = await createSegment(sender, {
    name: 'Members',
    condition: planIs('pro'),
    trackMembership: true,
  });
  const isMember = await createWorkflow(sender, { name: 'Asks for members' });
  await addStep(sender, isMember.id, { type: 'CONDITION', config: memberOf(segment.id) });
  const untrack = () => sender.patch(`/segments/${segment.id}`, { name: 'Renamed', trackMembership: false });
  const entry = `segment.${segment.slug}.entry`;
  const users = [
    await createWorkflow(sender, { name: 'Starts', eventName: entry }),
    await createWorkflow(sender, { name: 'Waits' }),
    await createWorkflow(sender, { name: 'Asks' }),
  ];
  const [, waits, asks] = users;
  await addStep(sender, waits.id, { type: 'WAIT_FOR_EVENT', config: { eventName: entry } });
  const config = { field: `event.${entry}`, operator: 'triggered' };
  await addStep(sender, asks.id, { type: 'CONDITION', config });
  const refused = await untrack();
  expect(refused.status, JSON.stringify(refused.body)).toBe(409);
  expect(refused.body.error.details).toEqual({
    workflows: users.map(({ id, name }) => ({ id, name })).toReversed(),
  });
  expect((await sender.get(`/segments/${segment.id}`)).body).toMatchObject({
    name: 'Members',
    trackMembership: true,
  });
  expect((await sender.patch(`/segments/${segment.id}`, { trackMembership: true })).status).toBe(200);
  for (const { id } of users) expect((await sender.delete(`/workflows/${id}`)).status).toBe(204);
  expect((await untrack()).body).toMatchObject({ name: 'Renamed', trackMembership: false });
  await createWorkflow(sender, { name: 'Late', eventName: entry });
  expect((await untrack()).status).toBe(200);
});

/** Begins an execution, and completes it when another request waits for it. */
async function startMeanwhile(workflowId: string, version: number) {
  const contactId = await createContact(sender, 'ada@example.com');
  const starting = stack.em();
  await starting.begin();
  await lockRecord(starting, Workflow, { id: workflowId }, { mode: 'for key share', ...allProjects });
  await startExecution(starting, { id: newId(), workflowId, version, contactId, context: {} });
  return async () => {
    await untilBlocking(starting);
    await starting.commit();
  };
}

it('a segment is not deleted before an execution that is just being started can be seen', async () => {
  const { workflowId, version, remove, removeQuestion } = await build();
  const complete = await startMeanwhile(workflowId, version);
  await removeQuestion(true);
  const deleting = remove();
  await complete();
  expect((await deleting).status).toBe(409);
});

it('a segment stays tracked until an execution that is just being started can be seen', async () => {
  const { workflowId, version, removeWait, untrack } = await buildWaiting();
  const complete = await startMeanwhile(workflowId, version);
  await removeWait();
  const untracking = untrack();
  await complete();
  expect((await untracking).status).toBe(409);
});
