import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { sql as run } from '../../db/testing/sql.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { storeWorkflow } from '../../test/setup/stored-workflows.ts';
import { untilBlocking } from '../../test/setup/until-blocking.ts';
import { createProjectPlaces } from './project-places.ts';
import { createWorkflowExecutionsService } from './workflow-executions.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);

it('lets writes of other projects in between while it cancels very many executions', async () => {
  const workflowId = uuidv7();
  const trigger = { id: uuidv7(), type: 'TRIGGER' as const, name: 'Trigger', config: {} };
  const graph = { eventName: 'joined', steps: [trigger], transitions: [] };
  await storeWorkflow(
    em(),
    { id: workflowId, projectId: project.id, allowReentry: true, enabled: false },
    graph,
  );
  await sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
     select uuidv7(), $1, $2, 1, uuidv7(), false from generate_series(1, 10001)`,
    [project.id, workflowId],
  );
  const lockOne = `select id from workflow_executions where id = (
    select id from workflow_executions where workflow_id = $1 order by contact_id offset $2 limit 1) for update`;
  const writes = createProjectPlaces(Number.POSITIVE_INFINITY, { inAll: new FairSemaphore(1) });
  const service = createWorkflowExecutionsService(database.orm, writes, () => undefined);
  let cancelling: Promise<number> | undefined;
  await em().transactional(async (third) => {
    await run(third, lockOne, [workflowId, 10_000]);
    let write: Promise<string> | undefined;
    await em().transactional(async (second) => {
      await run(second, lockOne, [workflowId, 7_000]);
      cancelling = service.cancelAll(project.id, workflowId);
      await untilBlocking(second);
      write = writes.run('another', async () => 'written');
    });
    expect(await write).toBe('written');
  });
  expect(await cancelling).toBe(10_001);
});
