import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { activeStatusesSql, hasActiveExecution } from './workflow-executions.ts';

const executionsPerBatch = 5_000;
const firstContact = '00000000-0000-0000-0000-000000000000';

/** The rows of `doomed(id)`, which the statement has locked, are cancelled, each with a command that says so. */
const cancelSql = `
  cancelled as (
    update workflow_executions x
    set status = 'CANCELLED', resume_at = null, completed_at = clock_timestamp()
    from doomed d
    where x.id = d.id
    returning x.id, x.project_id, x.contact_id
  ),
  commanded as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), 'execution.cancel', id, project_id from cancelled
  )
  select id, contact_id as "contactId" from cancelled`;

/**
 * Cancels an execution that is under way, with a command that tells Temporal. From the commit on no step of it begins.
 *
 * @param em outside of a transaction
 * @returns whether it was under way
 */
export async function cancelExecution(em: Em, workflowId: string, id: string): Promise<boolean> {
  const rows = await sql<{ id: string }>(
    em,
    `with doomed as (
       select id from workflow_executions
       where id = $2 and workflow_id = $1 and status in ${activeStatusesSql}
       for no key update
     ),
     ${cancelSql}`,
    [workflowId, id],
  );
  await silence(em, workflowId, rows);
  return rows.length > 0;
}

/**
 * Cancels every execution of a workflow that is under way, in short transactions.
 *
 * @param em outside of a transaction
 * @returns how many there were
 */
export async function cancelActiveExecutions(em: Em, workflowId: string): Promise<number> {
  let total = 0;
  // Not from the beginning each time: what was cancelled stays in the index for a while.
  let after = firstContact;
  for (;;) {
    const rows = await sql<{ id: string; contactId: string }>(
      em,
      `with doomed as (
         select id from workflow_executions
         where workflow_id = $1 and status in ${activeStatusesSql} and contact_id >= $2
         order by contact_id limit ${executionsPerBatch}
         for no key update
       ),
       ${cancelSql}`,
      [workflowId, after],
    );
    await silence(em, workflowId, rows);
    total += rows.length;
    // Of those that it waited for, a batch leaves out what another has ended meanwhile, so its size tells nothing.
    if (!(await hasActiveExecution(em, workflowId))) return total;
    after =
      rows
        .map(({ contactId }) => contactId)
        .toSorted()
        .at(-1) ?? firstContact;
  }
}

/**
 * Nothing waits for an event any more. Events lock the listener before the execution, so this is no part of the
 * statement that holds the executions; a wait that is being entered meanwhile is found by its execution's status.
 */
async function silence(em: Em, workflowId: string, executions: { id: string }[]): Promise<void> {
  if (executions.length === 0) return;
  await sql(em, 'delete from event_listeners where workflow_id = $1 and execution_id = any($2::uuid[])', [
    workflowId,
    executions.map(({ id }) => id),
  ]);
}

/**
 * Deletes the executions of a workflow that is gone, batch by batch, and its versions with the last of them.
 *
 * @param batches most transactions; what they leave is left to `dropOrphanedExecutions`
 */
export async function dropExecutions(
  em: Em,
  workflowId: string,
  batches = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const rows = await sql(
      em,
      `with gone as (
         delete from workflow_executions
         where workflow_id = $1
           and id = any(array(select id from workflow_executions where workflow_id = $1 limit ${executionsPerBatch}))
         returning id
       ),
       runs as (
         delete from workflow_step_runs r using gone g where r.execution_id = g.id
       )
       select id from gone`,
      [workflowId],
    );
    if (rows.length === executionsPerBatch) continue;
    await sql(
      em,
      `with templates as (delete from workflow_version_templates where workflow_id = $1)
       delete from workflow_versions where workflow_id = $1`,
      [workflowId],
    );
    return;
  }
}

/**
 * Deletes what workflows have left that are gone: their versions tell.
 *
 * @returns how many workflows had left something
 */
export async function dropOrphanedExecutions(em: Em): Promise<number> {
  const orphaned = await sql<{ id: string }>(
    em,
    `select distinct v.workflow_id as id from workflow_versions v
     where not exists (select from workflows w where w.id = v.workflow_id)`,
  );
  for (const { id } of orphaned) await dropExecutions(em, id);
  return orphaned.length;
}
