import { expect, it } from 'vitest';
import { newId, newIds } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { findSendingExecution } from './read-email.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

it('finds the execution that sent an email without reading the steps of those at other times', async () => {
  const [contactId, workflowId, id] = [newId(), newId(), newId()];
  const executions = newIds(1_000);
  await sql(
    `with execution as (
       insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, started_at, completed_at)
       select id, $2, $3, 1, $4, case n when 1000 then 'WAITING' else 'COMPLETED' end, false,
         timestamptz '2026-01-01' + n * interval '1 hour',
         case when n < 1000 then timestamptz '2026-01-01' + (n + 0.5) * interval '1 hour' end
       from unnest($1::uuid[]) with ordinality as t (id, n)
     )
     insert into workflow_step_runs (execution_id, visit, step_id, output)
     select id, visit, uuidv7(), jsonb_build_object('emailId', case when visit = 3 and n in (500, 1000) then $5::uuid else uuidv7() end)
     from unnest($1::uuid[]) with ordinality as t (id, n), generate_series(1, 5) visit`,
    [executions, project.id, workflowId, contactId, id],
  );
  await sql('analyze workflow_executions, workflow_step_runs');
  const at = (hour: number) => new Date(Date.parse('2026-01-01T00:20:00Z') + hour * 3_600_000);
  for (const hour of [500, 1_000]) {
    const read = await rowsRead(em(), async (run) => {
      const found = await findSendingExecution(run, contactId, workflowId, { id, createdAt: at(hour) });
      expect(found).toBe(executions[hour - 1]);
    });
    expect(read.get('workflow_step_runs') ?? 0).toBeLessThanOrEqual(10);
    expect(read.get('workflow_step_runs_pkey') ?? 0).toBeLessThanOrEqual(10);
  }
});
