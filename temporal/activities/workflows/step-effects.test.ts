import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { insertDomain, insertProject } from '../../../test/setup/projects.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';
import type { StepEffects } from './steps/walk.ts';
import { graphOf, storeGraph } from './testing/store-graph.ts';

const database = useTestDatabase();
const { em, sql } = database;

const graphs = createGraphCache();

async function step(executionId: string, visit: number) {
  const effects: StepEffects = { journal: false, commandsInMs: undefined };
  const answer = await em().transactional((inner) => runStep(inner, graphs, { executionId, visit }, effects));
  return { answer, effects };
}

/** Executions at the start of a graph with steps in a row. */
async function addExecutions(count: number, steps: { type: string; config: object }[]) {
  const [projectId, workflowId, templateId] = [await insertProject(em()), randomUUID(), randomUUID()];
  const domain = await insertDomain(em(), projectId);
  const named = [{ type: 'TRIGGER', config: {} }, ...steps].map((each) => ({
    ...each,
    config: each.type === 'SEND_EMAIL' ? { ...each.config, templateId } : each.config,
    id: randomUUID(),
    name: each.type,
  }));
  await storeGraph(em(), workflowId, graphOf(named));
  await sql(
    `insert into templates (id, project_id, name, subject, body, from_email, type)
     values ($1, $2, 'Hi', 'Hi', 'Hi', $3, 'TRANSACTIONAL')`,
    [templateId, projectId, `hi@${domain}`],
  );
  const inputs = Array.from({ length: count }, () => trackInput(projectId, `${randomUUID()}@example.com`));
  const contactIds = (await trackEvents(em(), inputs)).map(({ contactId }) => contactId);
  const rows = await sql<{ id: string }>(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
     select uuidv7(), $1, $2, 1, c, true from unnest($3::uuid[]) c returning id`,
    [projectId, workflowId, contactIds],
  );
  return { projectId, contactIds, ids: rows.map(({ id }) => id) };
}

it('leaves an email to be dispatched with other recent ones, and exits in the same turn', async () => {
  const { projectId, ids } = await addExecutions(12, [
    { type: 'SEND_EMAIL', config: {} },
    { type: 'EXIT', config: { reason: 'done' } },
  ]);
  for (const id of ids) {
    const { answer, effects } = await step(id, 1);
    expect(answer).toEqual({ follow: 'end', status: 'EXITED' });
    expect(effects.journal).toBe(true);
    expect(effects.commandsInMs).toBeLessThanOrEqual(200);
  }
  const [found] = await sql(
    `select count(*)::int as emails, count(*) filter (where ms % 200 = 0)::int as "inWindows",
       count(*) filter (where o.next_attempt_at >= o.created_at)::int as later,
       (select count(*)::int from workflow_step_runs where execution_id = any($2::uuid[]) and completed_at is not null)
         as runs
     from emails e
     join outbox o on o.subject_id = e.id and o.kind = 'email.dispatch'
     cross join lateral (select round(extract(epoch from o.next_attempt_at) * 1000) as ms) t
     where e.project_id = $1`,
    [projectId, ids],
  );
  expect(found).toEqual({ emails: 12, inWindows: 12, later: 12, runs: 24 });
  // A retry finds everything done.
  expect((await step(ids[0] ?? '', 1)).answer).toEqual({ follow: 'end', status: 'EXITED' });
});

it('leaves no commands when it only waits', async () => {
  const { ids } = await addExecutions(1, [{ type: 'DELAY', config: { amount: 1, unit: 'days' } }]);
  const { answer, effects } = await step(ids[0] ?? '', 1);
  expect(answer).toMatchObject({ follow: 'sleep' });
  expect(effects).toEqual({ journal: false, commandsInMs: undefined });
});

it('wakes the relay immediately when deleted contacts have executions to end', async () => {
  const { projectId, contactIds } = await addExecutions(2, [
    { type: 'DELAY', config: { amount: 1, unit: 'days' } },
  ]);
  const client = new pg.Client({ connectionString: database.url });
  let heard = 0;
  client.on('notification', () => {
    heard += 1;
  });
  await client.connect();
  await client.query('listen commands_left');
  await deleteContacts(em(), projectId, contactIds);
  await eventually(
    async () => heard,
    (count) => count > 0,
  );
  await client.end();
});
