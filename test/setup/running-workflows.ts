import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestSender } from './sender.ts';
import { addStep, connect, createWorkflow } from './workflows.ts';

type Way = [from: string, to: string, branch?: string];

/** The trigger is named `start`. */
export async function buildWorkflow(
  sender: TestSender,
  steps: Record<string, { type: string; config?: object }>,
  ways: Way[],
  fields: object = {},
): Promise<string> {
  const workflow = await createWorkflow(sender, { eventName: 'signup', ...fields });
  const ids: Record<string, string> = { start: workflow.steps[0].id };
  for (const [name, step] of Object.entries(steps)) {
    ids[name] = (await addStep(sender, workflow.id, { name, ...step })).id;
  }
  for (const [from, to, branch] of ways) {
    const made = await connect(sender, workflow.id, ids[from] ?? '', ids[to] ?? '', branch);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  const enabled = await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
  expect(enabled.status, JSON.stringify(enabled.body)).toBe(200);
  return workflow.id;
}

/** A workflow that waits for the event `bought`, and then ends. */
export const buildWait = (sender: TestSender): Promise<string> =>
  buildWorkflow(
    sender,
    {
      wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'bought', timeout: 86_400 } },
      end: { type: 'EXIT' },
    },
    [
      ['start', 'wait'],
      ['wait', 'end', 'event'],
      ['wait', 'end', 'timeout'],
    ],
  );

/** Tracks an event; creates the contact if needed. */
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

export async function onlyExecution(sender: TestSender, id: string, status: string) {
  const found = await eventually(
    () => executionsOf(sender, id),
    (list) => list.length === 1 && list[0].status === status,
  );
  return (await sender.get(`/workflows/${id}/executions/${found[0].id}`)).body;
}
