import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { cancelExecution } from '../../../db/statements/workflows/cancel-executions.ts';
import { sql } from '../../../db/testing/sql.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { storeWorkflow } from '../../../test/setup/stored-workflows.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';

const { em } = useTestDatabase();

const graphs = createGraphCache();
const step = (executionId: string, visit: number) =>
  em().transactional((inner) => runStep(inner, graphs, { executionId, visit }));
const pause = () => delay(Math.random() * 8);

const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid' } } as const;
const mark = { type: 'UPDATE_CONTACT', config: { data: { seen: true } } } as const;
const ask = { type: 'CONDITION', config: { field: 'subscribed', operator: 'equals', value: true } } as const;
type Step = { type: (typeof wait | typeof mark | typeof ask)['type']; config: Record<string, unknown> };

/** A workflow triggered by `eventName`, with steps in a row. */
async function addWorkflow(steps: Step[], eventName = 'signed_up', allowReentry = true) {
  const [id, projectId] = [randomUUID(), randomUUID()];
  const trigger = { id: randomUUID(), type: 'TRIGGER' as const, name: 'Trigger', config: {} };
  const made = steps.map((one, n) => ({ id: randomUUID(), name: `s${n}`, ...one }));
  const way = (fromStepId: string, toStepId: string, branch: 'yes' | 'no' | null) => ({
    id: randomUUID(),
    fromStepId,
    toStepId,
    branch,
  });
  const transitions = made.flatMap(({ id: to }, n) => {
    const from = n === 0 ? trigger : made[n - 1];
    if (from === undefined) return [];
    return from.type === 'CONDITION'
      ? [way(from.id, to, 'yes'), way(from.id, to, 'no')]
      : [way(from.id, to, null)];
  });
  const graph = { eventName, steps: [trigger, ...made], transitions };
  await storeWorkflow(em(), { id, projectId, allowReentry }, graph);
  const track = (email: string, name: string, patch = {}) =>
    trackEvents(em(), [trackInput(projectId, email, { eventName: name, patch })]);
  const executionsOf = (email: string) =>
    sql<{ id: string; status: string }>(
      em(),
      `select x.id, x.status from workflow_executions x join contacts c on c.id = x.contact_id
       where x.workflow_id = $1 and c.email = $2 order by x.started_at, x.id`,
      [id, email],
    );
  const enter = async (email: string) => {
    await track(email, eventName);
    return (await executionsOf(email))[0]?.id ?? '';
  };
  return { id, projectId, track, enter, executionsOf };
}

const standOf = async (id: string) =>
  (
    await sql<{ status: string; runs: number; listeners: number; branch: string | null }>(
      em(),
      `select x.status, (select count(*)::int from workflow_step_runs where execution_id = x.id) as runs,
         (select count(*)::int from event_listeners where execution_id = x.id) as listeners,
         (select branch from workflow_step_runs where execution_id = x.id order by visit desc limit 1) as branch
       from workflow_executions x where x.id = $1`,
      [id],
    )
  )[0];

it('counts an event that is being written while the previous step ends', async () => {
  const { projectId, enter } = await addWorkflow([ask, wait]);
  const id = await enter('ada@example.com');
  await em().transactional(async (inner) => {
    // Its time is before the end of that step, its commit after it.
    await trackEvents(inner, [trackInput(projectId, 'ada@example.com', { eventName: 'paid' })]);
    expect(await step(id, 1)).toMatchObject({ follow: 'step', visit: 2 });
  });
  expect(await step(id, 2)).toEqual({ follow: 'end', status: 'COMPLETED' });
  expect(await standOf(id)).toMatchObject({ branch: 'event', listeners: 0 });
});

it('looks for an event only after the transaction that writes it', async () => {
  for (const known of [false, true]) {
    const { projectId, enter, track } = await addWorkflow([wait]);
    if (known) await track('ada@example.com', 'paid');
    const id = await enter('ada@example.com');
    const entering = await em().transactional(async (inner) => {
      // Has looked for listeners by now, but is not committed.
      await trackEvents(inner, [trackInput(projectId, 'ada@example.com', { eventName: 'paid' })]);
      const begun = step(id, 1);
      await Promise.race([begun, delay(300)]);
      return { begun };
    });
    expect(await entering.begun).toEqual({ follow: 'end', status: 'COMPLETED' });
  }
});

it('is seen by an event written while the step is being entered', async () => {
  for (const known of [false, true]) {
    const { enter, track } = await addWorkflow([wait]);
    if (known) await track('ada@example.com', 'paid');
    const id = await enter('ada@example.com');
    const { tracking } = await em().transactional(async (inner) => {
      expect(await runStep(inner, graphs, { executionId: id, visit: 1 })).toMatchObject({ follow: 'wait' });
      // Has looked for events by now, but is not committed.
      const begun = track('ada@example.com', 'paid');
      await Promise.race([begun, delay(300)]);
      return { tracking: begun };
    });
    await tracking;
    expect(await step(id, 1)).toEqual({ follow: 'end', status: 'COMPLETED' });
  }
});

it('ends by an event that arrives just as it times out', async () => {
  const { projectId, enter } = await addWorkflow([{ ...wait, config: { ...wait.config, timeout: 60 } }]);
  const id = await enter('ada@example.com');
  expect(await step(id, 1)).toMatchObject({ follow: 'wait' });
  await sql(em(), 'update workflow_executions set resume_at = now() where id = $1', [id]);
  const looking = await em().transactional(async (inner) => {
    const event = { eventName: 'paid', eventData: { n: 1 } };
    await trackEvents(inner, [trackInput(projectId, 'ada@example.com', event)]);
    const begun = step(id, 1);
    await Promise.race([begun, delay(300)]);
    return { begun };
  });
  expect(await looking.begun).toEqual({ follow: 'end', status: 'COMPLETED' });
  expect(await standOf(id)).toMatchObject({ branch: 'event' });
  const shown = await sql(em(), 'select context from workflow_executions where id = $1', [id]);
  expect(shown).toEqual([{ context: { n: 1 } }]);
});

it('does not count an earlier event, whatever its clock says', async () => {
  const { projectId, enter } = await addWorkflow([ask, wait]);
  const id = await enter('ada@example.com');
  const later = new Date(Date.now() + 60_000);
  await trackEvents(em(), [
    trackInput(projectId, 'ada@example.com', { eventName: 'paid', occurredAt: later }),
  ]);
  await step(id, 1);
  expect(await step(id, 2)).toMatchObject({ follow: 'wait' });
});

it('begins no step after the execution was canceled, and leaves no listener', async () => {
  /** Canceled before the first step, and during or after the second: both have to occur. */
  const found = new Set<number | undefined>();
  for (let round = 0; round < 40 || found.size === 1; round += 1) {
    const { id: workflowId, enter, track } = await addWorkflow([mark, wait, mark]);
    const email = `${round}@example.com`;
    const id = await enter(email);
    const walk = async () => {
      for (let visit = 1; visit <= 2; visit += 1) await step(id, visit);
    };
    const [isCancelled] = await Promise.all([
      pause().then(() => cancelExecution(em(), workflowId, id)),
      pause().then(walk),
    ]);
    expect(isCancelled).toBe(true);
    const stand = await standOf(id);
    expect(stand).toMatchObject({ status: 'CANCELLED', listeners: 0 });
    found.add(stand?.runs);
    await track(email, 'paid');
    expect(await step(id, 3)).toEqual({ follow: 'end', status: 'CANCELLED' });
    expect(await standOf(id)).toEqual(stand);
  }
});

it('steps and events that start the same workflow never deadlock', async () => {
  const [updates, waits] = [await addWorkflow([mark]), await addWorkflow([wait], 'paid')];
  for (let round = 0; round < 30; round += 1) {
    const email = `${round}@example.com`;
    for (const { enter, track } of [updates, waits]) {
      const name = track === waits.track ? 'paid' : 'signed_up';
      const id = await enter(email);
      // Neither may fail: the database aborts deadlocked transactions.
      await Promise.all([
        step(id, 1),
        track(email, name, { n: round }),
        track(email, name, { n: round + 0.5 }),
      ]);
    }
  }
});

it('starts one execution for a contact, however many events arrive concurrently', async () => {
  for (const allowReentry of [false, true]) {
    const { track, executionsOf } = await addWorkflow([wait], 'signed_up', allowReentry);
    for (let round = 0; round < 10; round += 1) {
      const email = `${round}@example.com`;
      await Promise.all(Array.from({ length: 6 }, () => track(email, 'signed_up')));
      expect(await executionsOf(email)).toHaveLength(1);
    }
  }
});

it('starts no second execution when the first began and ended while the event was being written', async () => {
  const { id, projectId, track, executionsOf } = await addWorkflow([mark], 'signed_up', false);
  const email = 'ada@example.com';
  const [ada] = await track(email, 'seen');
  const { tracking } = await em().transactional(async (inner) => {
    // The event's transaction has looked for executions, and waits for this one before it starts another.
    await sql(inner, 'select from workflows where id = $1 for update', [id]);
    const begun = track(email, 'signed_up');
    await Promise.race([begun, delay(300)]);
    await sql(
      em(),
      `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once)
       values ($1, $2, $3, 1, $4, 'COMPLETED', true)`,
      [randomUUID(), projectId, id, ada?.contactId],
    );
    return { tracking: begun };
  });
  await tracking;
  expect(await executionsOf(email)).toMatchObject([{ status: 'COMPLETED' }]);
});
