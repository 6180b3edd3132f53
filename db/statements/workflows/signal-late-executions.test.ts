import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { signalLateExecutions } from '../sweeps/requeue-commands.ts';

const { em, sql } = useTestDatabase();

const oneProject = uuidv7();

/** Executions of a project whose wait ended 13 minutes ago, too many for one call. */
const addMany = () =>
  sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, visit,
       started_at, resume_at)
     select uuidv7(), $1, $1, 1, uuidv7(), 'WAITING', false, 1, now() - interval '1 day', now() - interval '13 minutes'
     from generate_series(1, 10_001)`,
    [oneProject],
  );

/** An execution that is late by this many minutes: at the end of a wait, or where it should continue immediately. */
async function addLate(status: 'WAITING' | 'RUNNING', minutes: number): Promise<string> {
  const [id, workflowId] = [uuidv7(), uuidv7()];
  await sql(
    `with late as (select now() - make_interval(secs => $4::float8 * 60) as at),
     run as (
       insert into workflow_step_runs (execution_id, visit, step_id, started_at, completed_at)
       select $1, 1, $1, at - interval '1 day', case when $3 = 'RUNNING' then at end from late
     )
     insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, visit,
       started_at, resume_at)
     select $1, $2, $2, 1, uuidv7(), $3, false, 1, at - interval '1 day', case when $3 = 'WAITING' then at end
     from late`,
    [id, workflowId, status, minutes],
  );
  return id;
}

it('reminds late executions soon at first, and then once an hour', async () => {
  // Far enough from the boundaries for a slow machine.
  const reminded = [11, 13, 22, 42, 102, 162, 3_042];
  const minutes = [-60, 2, 8, 16, 18, 27, 38, 47, 107, 3_037, ...reminded];
  const expected: string[] = [];
  for (const status of ['WAITING', 'RUNNING'] as const) {
    for (const each of minutes) {
      const id = await addLate(status, each);
      if (reminded.includes(each)) expected.push(id);
    }
  }
  expect(await signalLateExecutions(em(), 600)).toBe(expected.length);
  const commands = await sql<{ id: string }>(
    `select subject_id as id from outbox where kind = 'execution.wake'`,
  );
  expect(commands.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  // Nor while the reminder is on its way.
  expect(await signalLateExecutions(em(), 600)).toBe(0);
});

it('reminds an execution of a project while another has more late ones than a call reminds', async () => {
  await addMany();
  const id = await addLate('WAITING', 13);
  await sql(`delete from outbox`);
  expect(await signalLateExecutions(em(), 600)).toBe(10_000);
  expect(await sql('select from outbox where subject_id = $1', [id])).toHaveLength(1);
});
