import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { countSteps, stepsCountedSince } from './count-executions.ts';

const { em, sql } = useTestDatabase(2);

it('counts the steps of the newest executions only', async () => {
  const projectId = await insertProject(em());
  const [workflowId, stepId] = [
    '01900000-0000-7000-8000-000000000001',
    '01900000-0000-7000-8000-000000000002',
  ];
  await sql(
    `with execution as (
       insert into workflow_executions (id, project_id, workflow_id, version, status, only_once, started_at)
       select uuidv7(), $1, $2, 1, 'WAITING', false, now() + make_interval(secs => n) from generate_series(1, 5) n
       returning id, started_at
     )
     insert into workflow_step_runs (execution_id, visit, step_id, completed_at)
     select id, 1, $3, case when started_at > now() + interval '3.5 s' then now() end from execution`,
    [projectId, workflowId, stepId],
  );
  const figures = { stepId, failed: 0 };
  expect(await countSteps(em(), workflowId, 3)).toEqual([
    { ...figures, entered: 3, completed: 2, waiting: 1 },
  ]);
  expect(await countSteps(em(), workflowId)).toEqual([{ ...figures, entered: 5, completed: 2, waiting: 3 }]);
  const third = 'select started_at from workflow_executions order by started_at offset 2 limit 1';
  expect(await sql(third)).toEqual([{ started_at: await stepsCountedSince(em(), workflowId, 3) }]);
  expect(await stepsCountedSince(em(), workflowId)).toBeUndefined();
});
