import { expect } from 'vitest';
import type { TestAnswer } from './answer.ts';
import type { TestSender } from './sender.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Answer = any;

export async function createWorkflow(sender: TestSender, fields: object = {}): Promise<Answer> {
  const answer = await sender.post('/workflows', { name: 'Welcome', eventName: 'signed up', ...fields });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

export async function readWorkflow(sender: TestSender, id: string): Promise<Answer> {
  const answer = await sender.get(`/workflows/${id}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

export async function addStep(sender: TestSender, id: string, step: object): Promise<Answer> {
  const answer = await sender.post(`/workflows/${id}/steps`, step);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

export function connect(
  sender: TestSender,
  id: string,
  fromStepId: string,
  toStepId: string,
  branch?: string,
): Promise<TestAnswer> {
  return sender.post(`/workflows/${id}/transitions`, { fromStepId, toStepId, branch });
}

export async function createWaitingWorkflow(sender: TestSender, fields: object = {}): Promise<Answer> {
  const workflow = await createWorkflow(sender, fields);
  await addStep(sender, workflow.id, {
    type: 'DELAY',
    config: { amount: 30, unit: 'days' },
    autoConnect: workflow.steps[0].id,
  });
  return workflow;
}

/** Contacts whose address begins with “stays” wait for a month; the others leave. */
export async function createForkedWorkflow(sender: TestSender): Promise<Answer> {
  const workflow = await createWorkflow(sender, { name: 'Forked', eventName: 'forked' });
  const { id, steps } = workflow;
  const fork = await addStep(sender, id, {
    type: 'CONDITION',
    name: 'Who',
    config: { field: 'email', operator: 'contains', value: 'stays' },
    autoConnect: steps[0].id,
  });
  const wait = { type: 'DELAY', name: 'Wait', config: { amount: 30, unit: 'days' } };
  await connect(sender, id, fork.id, (await addStep(sender, id, wait)).id, 'yes');
  const leave = { type: 'EXIT', name: 'Leave', config: {} };
  await connect(sender, id, fork.id, (await addStep(sender, id, leave)).id, 'no');
  return readWorkflow(sender, id);
}

export async function createContact(sender: TestSender, email: string): Promise<string> {
  return (await sender.post('/contacts', { email })).body.id;
}

/** Transitions of a graph by step names, `from -branch> to`. */
export async function arrowsOf(sender: TestSender, id: string): Promise<string[]> {
  const { steps, transitions } = await readWorkflow(sender, id);
  const nameOf = (stepId: string) => steps.find((step: Answer) => step.id === stepId)?.name;
  return transitions
    .map((way: Answer) => `${nameOf(way.fromStepId)} -${way.branch ?? ''}> ${nameOf(way.toStepId)}`)
    .sort();
}
