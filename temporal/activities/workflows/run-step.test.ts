import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';
import { graphOf, storeGraph } from './testing/store-graph.ts';

const { em, sql } = useTestDatabase();

const graphs = createGraphCache();
const step = (executionId: string, visit: number) =>
  em().transactional((inner) => runStep(inner, graphs, { executionId, visit }));

const [trigger, wait] = [randomUUID(), randomUUID()];

/** An execution about to wait for `paid`, with its own contact. */
async function addExecution(projectId: string, timeout?: number) {
  const [workflowId, id, email] = [randomUUID(), randomUUID(), `${randomUUID()}@example.com`];
  const [tracked] = await trackEvents(em(), [trackInput(projectId, email)]);
  const contactId = tracked?.contactId ?? '';
  const graph = graphOf([
    { id: trigger, type: 'TRIGGER', name: 'Trigger', config: {} },
    { id: wait, type: 'WAIT_FOR_EVENT', name: 'wait', config: { eventName: 'paid', timeout } },
  ]);
  await storeGraph(em(), workflowId, graph);
  await sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
     values ($1, $2, $3, 1, $4, true)`,
    [id, projectId, workflowId, contactId],
  );
  return { id, email };
}

const standOf = async (id: string) =>
  (
    await sql<{ branch: string | null; status: string; runs: number; listeners: number }>(
      `select r.branch, x.status, (select count(*)::int from workflow_step_runs where execution_id = x.id) as runs,
         (select count(*)::int from event_listeners where execution_id = x.id) as listeners
       from workflow_executions x left join workflow_step_runs r on r.execution_id = x.id where x.id = $1`,
      [id],
    )
  )[0];

const pay = (projectId: string, email: string, n = 1) =>
  trackEvents(em(), [trackInput(projectId, email, { eventName: 'paid', eventData: { n } })]);

it('loses no event that arrives while the wait is being entered', async () => {
  const projectId = randomUUID();
  for (let round = 0; round < 60; round += 1) {
    const { id, email } = await addExecution(projectId);
    const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    await Promise.all([
      pause().then(() => step(id, 1)),
      pause().then(() => pay(projectId, email)),
      pause().then(() => pay(projectId, email)),
    ]);
    // Whichever came first: the wait is over, or will be at the next check.
    expect(await step(id, 1), `round ${round}`).toEqual({ follow: 'end', status: 'COMPLETED' });
    expect(await standOf(id)).toEqual({ branch: 'event', status: 'COMPLETED', runs: 1, listeners: 0 });
  }
});

it('ends by either the event or the timeout, never both', async () => {
  const projectId = randomUUID();
  const outcomes = new Set<string | null | undefined>();
  for (let round = 0; round < 60; round += 1) {
    const { id, email } = await addExecution(projectId, 3_600);
    expect(await step(id, 1)).toMatchObject({ follow: 'wait' });
    await sql(`update workflow_executions set resume_at = now() - interval '1 second' where id = $1`, [id]);
    const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    await Promise.all([
      pause().then(() => step(id, 1)),
      pause().then(() => step(id, 1)),
      pause().then(() => pay(projectId, email)),
    ]);
    const stand = await standOf(id);
    expect(stand).toMatchObject({ status: 'COMPLETED', runs: 1, listeners: 0 });
    outcomes.add(stand?.branch);
  }
  expect([...outcomes].toSorted()).toEqual(['event', 'timeout']);
});

it.each([-10, 10])('ends a pause by the database clock when its own is %s minutes off', async (minutes) => {
  const { id } = await addExecution(randomUUID(), 300);
  expect(await step(id, 1)).toMatchObject({ follow: 'wait', ms: 300_000 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const early = await step(id, 1);
  expect(early).toMatchObject({ follow: 'wait' });
  expect('ms' in early && early.ms).toBeLessThanOrEqual(300_000);
  await sql(`update workflow_executions set resume_at = now() where id = $1`, [id]);
  expect(await step(id, 1)).toEqual({ follow: 'end', status: 'COMPLETED' });
});

it('runs a step once, however often it is called', async () => {
  const projectId = randomUUID();
  const { id } = await addExecution(projectId);
  const answers = await Promise.all(Array.from({ length: 8 }, () => step(id, 1)));
  expect(new Set(answers.map(({ follow }) => follow))).toEqual(new Set(['wait']));
  expect(await standOf(id)).toEqual({ branch: null, status: 'WAITING', runs: 1, listeners: 1 });
});
