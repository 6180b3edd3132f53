import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { cancelActiveExecutions } from '../workflows/cancel-executions.ts';
import type { ErasureRecord } from './project-erasures.ts';

/** Rows deleted in one transaction. */
const batchRows = 5_000;

/** An erasure under way. */
interface Run {
  em: Em;
  erasure: ErasureRecord;
  signal: AbortSignal | undefined;
}

/**
 * Deletes the data of a project that were made until an instant, in short transactions that count what they deleted; its
 * keys, members, domains, settings and the figures that it is judged by stay as long as it exists. Can be cut off and
 * repeated.
 *
 * @param em outside of a transaction
 * @param signal ends it between two batches
 */
export async function eraseProject(em: Em, erasure: ErasureRecord, signal?: AbortSignal): Promise<void> {
  const run: Run = { em, erasure, signal };
  const { projectId, until } = erasure;
  const doomed = (table: string, order: string, column = 'created_at') =>
    deleteWhere(run, table, `project_id = $1 and ${column} <= $2 order by ${order}`, [projectId, until]);

  await eraseWithChildren(run, 'workflows', async (workflowId) => {
    await cancelActiveExecutions(em, workflowId);
    await deleteWhere(run, 'event_listeners', 'workflow_id = $1 order by workflow_id', [workflowId]);
    await deleteExecutions(run, workflowId);
    for (const table of [
      'workflow_steps',
      'workflow_transitions',
      'workflow_version_templates',
      'workflow_versions',
    ]) {
      await deleteWhere(run, table, 'workflow_id = $1', [workflowId]);
    }
  });
  await eraseWithChildren(run, 'campaigns', async (campaignId) => {
    for (const table of ['campaign_batches', 'campaign_figures', 'campaign_figure_changes']) {
      await deleteWhere(run, table, 'campaign_id = $1', [campaignId]);
    }
  });
  await eraseWithChildren(run, 'segments', (segmentId) =>
    deleteWhere(run, 'segment_members', 'segment_id = $1 order by segment_id, contact_id', [segmentId]),
  );
  await eraseWithChildren(run, 'jobs', (jobId) => deleteWhere(run, 'job_chunks', 'job_id = $1', [jobId]));
  await deleteById(run, 'emails');
  await deleteById(run, 'email_contents');
  await doomed('inbound_emails', 'project_id, provider_id');
  await doomed('contacts', 'project_id, created_at, id');
  await doomed('contact_event_stats', 'project_id, name, contact_id', 'first_at');
  await doomed('contact_fields', 'project_id, key');
  await doomed('event_names', 'project_id, name');
  // No process may take for known what is gone.
  await sql(em, `select pg_notify('project_changed', $1)`, [projectId]);
  await doomed('templates', 'project_id, created_at, id');
  await doomed('idempotency_keys', 'project_id, key');
  await doomed('event_deletions', 'id');
  await deleteById(run, 'events', `kind = 'activity'`);
  await deleteWhere(
    run,
    'events',
    `project_id = $1 and kind <> 'activity' and id <= ${lastIdAt('$2')}
     order by project_id, name, contact_id, occurred_at`,
    [projectId, until],
  );
  if (erasure.isProjectGone) {
    // Behind the contacts, whose deletion writes changes of the figures.
    for (const table of [
      'contact_figures',
      'contact_figure_changes',
      'project_email_days',
      'project_email_changes',
      'billing_usage',
    ]) {
      await deleteWhere(run, table, 'project_id = $1', [projectId]);
    }
  }
}

/** Counts in the erasure's row, with the rows that go, so that no crash counts any twice or not at all. */
const countGone = (table: string, erasureId: string) => `
  counted as (
    update project_erasures
    set done = done || jsonb_build_object('${table}',
      coalesce((done->>'${table}')::int, 0) + (select count(*)::int from gone))
    where id = ${erasureId} and exists (select from gone)
  )`;

/** @param where of the rows, with an order that has them found by an index whatever else the table holds */
async function deleteWhere(run: Run, table: string, where: string, parameters: unknown[]): Promise<void> {
  for (;;) {
    run.signal?.throwIfAborted();
    const [row] = await sql<{ deleted: number }>(
      run.em,
      `with gone as (
         delete from ${table}
         where ctid = any(array(select ctid from ${table} where ${where} limit ${batchRows} for update skip locked))
         returning 1
       ),
       ${countGone(table, `$${parameters.length + 1}`)}
       select count(*)::int as deleted from gone`,
      [...parameters, run.erasure.id],
    );
    if ((row?.deleted ?? 0) === 0) return;
  }
}

/** Deletes executions with their step runs. */
async function deleteExecutions({ em, signal }: Run, workflowId: string): Promise<void> {
  for (let deleted = 1; deleted > 0; ) {
    signal?.throwIfAborted();
    const [row] = await sql<{ deleted: number }>(
      em,
      `with page as materialized (
         select id from workflow_executions where workflow_id = $1
         order by workflow_id, started_at, id limit ${batchRows}
       ),
       runs as (delete from workflow_step_runs where execution_id = any(array(select id from page))),
       gone as (delete from workflow_executions where id = any(array(select id from page)) returning 1)
       select count(*)::int as deleted from gone`,
      [workflowId],
    );
    deleted = row?.deleted ?? 0;
  }
}

/** Children first, so that a parent which is still there says what is left to do. */
async function eraseWithChildren(
  run: Run,
  table: 'workflows' | 'campaigns' | 'segments' | 'jobs',
  eraseChildren: (id: string) => Promise<void>,
): Promise<void> {
  const parents = await sql<{ id: string }>(
    run.em,
    `select id from ${table} where project_id = $1 and created_at <= $2`,
    [run.erasure.projectId, run.erasure.until],
  );
  for (const { id } of parents) {
    await eraseChildren(id);
    await deleteWhere(run, table, 'id = $1', [id]);
  }
}

/** The last id that can be as old as the instant that a parameter names. */
const lastIdAt = (instant: string) =>
  `(lpad(to_hex((extract(epoch from ${instant}::timestamptz) * 1000)::bigint), 12, '0') || '${'f'.repeat(20)}')::uuid`;

/** Deletes in the order of the ids, each page behind the one before: what is deleted already is not walked again. */
async function deleteById(
  run: Run,
  table: 'emails' | 'email_contents' | 'events',
  filter = 'true',
): Promise<void> {
  const { projectId, until, id: erasureId } = run.erasure;
  let after: string | null = '00000000-0000-0000-0000-000000000000';
  while (after !== null) {
    run.signal?.throwIfAborted();
    const [row]: { last: string | null }[] = await sql(
      run.em,
      `with page as materialized (
         select id from ${table}
         where project_id = $1 and id > $2 and id <= ${lastIdAt('$3')} and ${filter}
         order by project_id, id limit ${batchRows}
       ),
       gone as (delete from ${table} where id = any(array(select id from page)) returning 1),
       ${countGone(table, '$4')}
       select (select id from page order by id desc limit 1) as last`,
      [projectId, after, until, erasureId],
    );
    after = row?.last ?? null;
  }
}
