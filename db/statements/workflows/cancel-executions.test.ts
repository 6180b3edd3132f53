import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { expireEverything } from '../../../test/setup/expire-everything.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { storeWorkflow } from '../../../test/setup/stored-workflows.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import { allProjects } from '../../entities/project-em.ts';
import { Workflow } from '../../entities/workflow.ts';
import { createOrm, type Em } from '../../orm.ts';
import { sql as run } from '../../testing/sql.ts';
import { deleteContacts } from '../contacts/delete-contacts.ts';
import { cancelActiveExecutions, cancelExecution } from './cancel-executions.ts';
import { deleteExecutions } from './delete-executions.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);

async function addWorkflow(): Promise<string> {
  const id = uuidv7();
  const trigger = { id: uuidv7(), type: 'TRIGGER' as const, name: 'Trigger', config: {} };
  const graph = { eventName: 'joined', steps: [trigger], transitions: [] };
  await storeWorkflow(em(), { id, projectId: project.id, allowReentry: true, enabled: false }, graph);
  return id;
}

/** Executions of as many contacts, waiting for an event, each with a step run. */
async function addWaiting(workflowId: string, count: number): Promise<void> {
  await sql(
    `with execution as (
       insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, context)
       select uuidv7(), $1, $2, 1, uuidv7(), 'WAITING', false, '{"secret": 1}' from generate_series(1, $3)
       returning *
     ),
     run as (
       insert into workflow_step_runs (execution_id, visit, step_id, output) select id, 1, id, '{"secret": 1}'
       from execution
     )
     insert into event_listeners (project_id, event_name, contact_id, id, workflow_id, execution_id, visit)
     select project_id, 'order', contact_id, id, workflow_id, id, 1 from execution`,
    [project.id, workflowId, count],
  );
}

const countOf = async (from: string, id: string) =>
  (await sql<{ count: number }>(`select count(*)::int as count from ${from}`, [id]))[0]?.count;

const cancelled = (workflowId: string) =>
  countOf(
    `workflow_executions x where workflow_id = $1 and status = 'CANCELLED' and completed_at is not null
       and x.id in (select subject_id from outbox where kind = 'execution.cancel')`,
    workflowId,
  );
const listening = (workflowId: string) => countOf('event_listeners where workflow_id = $1', workflowId);

describe('canceling executions', () => {
  it('ends all of a workflow, however many, each with one command', async () => {
    const [one, other] = [await addWorkflow(), await addWorkflow()];
    await addWaiting(one, 12_345);
    await addWaiting(other, 2);
    const counts = await Promise.all([cancelActiveExecutions(em(), one), cancelActiveExecutions(em(), one)]);
    // The checks join thousands of rows without statistics.
    await sql('analyze workflow_executions, outbox');
    expect(counts.reduce((sum, count) => sum + count)).toBe(12_345);
    expect(await cancelled(one)).toBe(12_345);
    expect(
      await countOf(
        `outbox o join workflow_executions x on x.id = o.subject_id where x.workflow_id = $1`,
        one,
      ),
    ).toBe(12_345);
    expect([await listening(one), await listening(other), await cancelled(other)]).toEqual([0, 2, 0]);
  });

  it('ends while contacts keep entering, who stay', async () => {
    const workflowId = await addWorkflow();
    // Whenever an execution is canceled, another starts; twenty in all.
    await sql(
      `create function enter_again() returns trigger language plpgsql as $$
       begin
         insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once, started_at)
         select uuidv7(), new.project_id, new.workflow_id, 1, uuidv7(), false, clock_timestamp() + interval '1 second'
         where (select count(*) from workflow_executions where workflow_id = new.workflow_id) < 20;
         return null;
       end $$;
       create trigger enter_again after update on workflow_executions
         for each row when (new.status = 'CANCELLED') execute function enter_again()`,
    );
    onTestFinished(async () => {
      await sql('drop function enter_again cascade');
    });
    await addWaiting(workflowId, 2);
    expect(await cancelActiveExecutions(em(), workflowId)).toBe(2);
    expect(
      await countOf(`workflow_executions where workflow_id = $1 and status = 'RUNNING'`, workflowId),
    ).toBe(2);
  });

  it('locks them in the same order as the deletion of their contacts', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 2);
    const [first, second] = await sql<{ id: string }>(
      'select id from workflow_executions where workflow_id = $1 order by id',
      [workflowId],
    );
    // Its contact is the later one of the two.
    await sql('update workflow_executions set contact_id = uuidv7() where id = $1', [first?.id]);
    const lock = (own: Em, id?: string) =>
      run(own, 'select from workflow_executions where id = $1 for no key update', [id]);
    let cancelling: Promise<number> | undefined;
    await em().transactional(async (own) => {
      await lock(own, first?.id);
      cancelling = cancelActiveExecutions(em(), workflowId);
      await untilBlocking(own);
      await lock(own, second?.id);
    });
    expect(await cancelling).toBe(2);
  });

  it('removes their listeners in the order in which events lock them', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 2_000);
    // Two whose order in the table is the opposite of their order by id: whatever space a vacuum has freed, rows inserted
    // one after the other share a page.
    await sql(
      `with listener as (delete from event_listeners where workflow_id = $1 returning *)
       insert into event_listeners select * from listener order by id desc`,
      [workflowId],
    );
    const [ends] = await sql<{ first: string; last: string }>(
      `with placed as (
         select id, row_number() over (order by id) as rank, row_number() over (order by ctid) as place
         from event_listeners where workflow_id = $1)
       select a.id as first, b.id as last from placed a join placed b on a.rank < b.rank and a.place > b.place limit 1`,
      [workflowId],
    );
    if (ends === undefined) throw new Error('The listeners lie in the order of their ids');
    await sql('analyze event_listeners');
    const lock = (own: Em, id?: string) =>
      run(own, 'select from event_listeners where id = $1 for update', [id]);
    let cancelling: Promise<number> | undefined;
    await em().transactional(async (own) => {
      await lock(own, ends.first);
      cancelling = cancelActiveExecutions(em(), workflowId);
      await untilBlocking(own);
      await lock(own, ends.last);
    });
    expect(await cancelling).toBe(2_000);
    expect(await listening(workflowId)).toBe(0);
  });

  it('happens once to each execution', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 1);
    const [execution] = await sql<{ id: string }>(
      'select id from workflow_executions where workflow_id = $1',
      [workflowId],
    );
    const tries = Array.from({ length: 5 }, () => cancelExecution(em(), workflowId, execution?.id ?? ''));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect([await cancelled(workflowId), await listening(workflowId)]).toEqual([1, 0]);
  });

  it('is reported although events hold their listeners for longer than a lock may take', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 1);
    const [execution] = await sql<{ id: string }>(
      'select id from workflow_executions where workflow_id = $1',
      [workflowId],
    );
    const limits = { statementMs: 10_000, lockMs: 300 };
    const orm = createOrm({ url: database.url, poolSize: 4, limits, warn: () => undefined });
    onTestFinished(() => orm.close());
    const limited = orm.em.fork();
    await em().transactional(async (own) => {
      await run(own, 'select from event_listeners where workflow_id = $1 for update', [workflowId]);
      expect(await cancelExecution(limited, workflowId, execution?.id ?? '')).toBe(true);
    });
    expect(await cancelled(workflowId)).toBe(1);
  });

  it('fails with its cause in a transaction, which cannot go on', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 1);
    const limits = { statementMs: 10_000, lockMs: 300 };
    const orm = createOrm({ url: database.url, poolSize: 4, limits, warn: () => undefined });
    onTestFinished(() => orm.close());
    // Not `transactional`: a transaction begun in its callback would be one of its own pool, without these limits.
    const holding = em();
    await holding.begin();
    await run(holding, 'select from event_listeners where workflow_id = $1 for update', [workflowId]);
    const cancelling = orm.em.fork().transactional((own) => cancelActiveExecutions(own, workflowId));
    const failure = await cancelling.catch((error: unknown) => error);
    await holding.rollback();
    expect(String(failure)).toContain('lock timeout');
    expect([await cancelled(workflowId), await listening(workflowId)]).toEqual([0, 1]);
  });

  it('happens when the contact is deleted, along with its data', async () => {
    const workflowId = await addWorkflow();
    await addWaiting(workflowId, 3);
    const contacts = await sql<{ id: string }>(
      `insert into contacts (id, project_id, email, subscribed, data)
       select contact_id, project_id, contact_id || '@example.com', true, '{}' from workflow_executions
       where workflow_id = $1 limit 2 returning id`,
      [workflowId],
    );
    await deleteContacts(
      em(),
      project.id,
      contacts.map(({ id }) => id),
    );
    expect([await cancelled(workflowId), await listening(workflowId)]).toEqual([2, 1]);
    const left = await sql(
      `select contact_id is null as gone, context, r.output from workflow_executions x
       join workflow_step_runs r on r.execution_id = x.id where workflow_id = $1 order by gone`,
      [workflowId],
    );
    const erased = { gone: true, context: {}, output: null };
    expect(left).toEqual([{ gone: false, context: { secret: 1 }, output: { secret: 1 } }, erased, erased]);
  });
});

describe('executions of a deleted workflow', () => {
  it('are deleted batch by batch, and a sweep deletes the rest', async () => {
    const [gone, kept] = [await addWorkflow(), await addWorkflow()];
    await addWaiting(gone, 7_000);
    await addWaiting(kept, 1);
    await em().nativeDelete(Workflow, { id: gone }, allProjects);
    await deleteExecutions(em(), gone, 1);
    const executions = (id: string) => countOf('workflow_executions where workflow_id = $1', id);
    expect(await executions(gone)).toBe(2_000);
    expect(await expireEverything(em(), 7)).toMatchObject({ workflowsWithOrphans: 1 });
    expect([await executions(gone), await executions(kept)]).toEqual([0, 1]);
    expect(
      await countOf(
        'workflow_step_runs r where not exists (select from workflow_executions x where x.id = r.execution_id) or $1::uuid is null',
        gone,
      ),
    ).toBe(0);
    expect(await expireEverything(em(), 7)).toMatchObject({ workflowsWithOrphans: 0 });
  });
});
