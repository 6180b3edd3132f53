import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { storeWorkflow } from '../../../test/setup/stored-workflows.ts';
import { untilWaiting } from '../../../test/setup/until-blocking.ts';
import { sql as run } from '../../testing/sql.ts';
import { retryExecution } from './retry-executions.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

/** An execution that failed in its only step. */
async function addFailed() {
  const [id, workflowId, contactId, stepId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const steps = [
    { id: uuidv7(), type: 'TRIGGER' as const, name: 'Trigger', config: {} },
    { id: stepId, type: 'WEBHOOK' as const, name: 'Hook', config: {} },
  ];
  const workflow = { id: workflowId, projectId: project.id, allowReentry: true };
  await storeWorkflow(em(), workflow, { eventName: 'joined', steps, transitions: [] });
  await sql(`insert into contacts (id, project_id, email) values ($1, $2, 'ada@example.com')`, [
    contactId,
    project.id,
  ]);
  await sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, visit,
       current_step_id, error, completed_at)
     values ($1, $2, $3, 1, $4, 'FAILED', false, 1, $5, 'no answer', now())`,
    [id, project.id, workflowId, contactId, stepId],
  );
  await sql(
    `insert into workflow_step_runs (execution_id, visit, step_id, error, completed_at)
     values ($1, 1, $2, 'no answer', now())`,
    [id, stepId],
  );
  return { id, workflowId };
}

it('continues an execution once when two processes retry it at the same moment', async () => {
  const { id, workflowId } = await addFailed();
  let retries: Promise<boolean>[] = [];
  await em().transactional(async (holder) => {
    await run(holder, 'select from workflow_executions where id = $1 for update', [id]);
    retries = [em(), em()].map((process) => retryExecution(process, workflowId, id));
    await untilWaiting(holder, 2);
  });
  expect((await Promise.all(retries)).toSorted()).toEqual([false, true]);
  const commands = await sql(`select kind from outbox where subject_id = $1`, [id]);
  expect(commands).toEqual([{ kind: 'execution.wake' }]);
});
