import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestSender } from './sender.ts';
import { addStep, connect, createWorkflow } from './workflows.ts';

/** From and to by the names of steps. */
type Way = [from: string, to: string, branch?: string];

/** Builds a workflow of steps by their names, the trigger being `start`, and switches it on. */
export async function buildWorkflow(
  sender: TestSender,
  steps: Record<string, { type: string; config?: object }>,
  ways: Way[],
  fields: object = {},
): Promise<string> {
  const workflow = await createWorkflow(sender, { eventName: 'signup', ...fields });
  const ids: Record<string, string> = { start: workflow.steps[0].id };
  for (const [name, step] of Object.entries(steps)) {
    const added = await addStep(sender, workflow.id, { name, ...step });
    ids[name] = added.id ?? added.step?.id;
  }
  for (const [from, to, branch] of ways) {
    const made = await connect(sender, workflow.id, ids[from] ?? '', ids[to] ?? '', branch);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  const enabled = await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
  expect(enabled.status, JSON.stringify(enabled.body)).toBe(200);
  return workflow.id;
}

/** Tracks an event of a contact, who need not exist. */
export async function trackEvent(
  sender: TestSender,
  event: string,
  data: object = {},
  email = 'ada@example.com',
): Promise<void> {
  const tracked = await sender.post('/v1/track', { event, email, data });
  expect(tracked.status, JSON.stringify(tracked.body)).toBe(200);
}

async function executionsOf(sender: TestSender, id: string) {
  const listed = await sender.get(`/workflows/${id}/executions`);
  expect(listed.status).toBe(200);
  return listed.body.data;
}

/** The only execution of a workflow, once it has the status; with its steps. */
export async function onlyExecution(sender: TestSender, id: string, status: string) {
  const found = await eventually(
    () => executionsOf(sender, id),
    (list) => list.length === 1 && list[0].status === status,
    30_000,
  );
  return (await sender.get(`/workflows/${id}/executions/${found[0].id}`)).body;
}
