import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { cancelActiveExecutions } from '../workflows/cancel-executions.ts';
import type { ErasureRecord } from './project-erasures.ts';

/** Rows deleted in one transaction. */
const batchRows = 5_000;
/** Rows looked at in one transaction, where no index knows the project. */
const pageRows = 20_000;

/** How many of each there were. */
export interface ErasedData {
  contacts: number;
  emails: number;
  events: number;
  templates: number;
  segments: number;
  campaigns: number;
  workflows: number;
  jobs: number;
}

/**
 * Deletes the data of a project that were made until an instant, in short transactions; its keys, members, domains,
 * settings and the figures that it is judged by stay as long as it exists. Can be cut off and repeated.
 *
 * @param em outside of a transaction
 * @param signal ends it between two batches
 */
export async function eraseProject(
  em: Em,
  erasure: ErasureRecord,
  signal?: AbortSignal,
): Promise<ErasedData> {
  const { projectId, until } = erasure;
  const doomed = (table: string, column = 'created_at') =>
    deleteWhere(em, table, `project_id = $1 and ${column} <= $2`, [projectId, until], signal);

  const workflows = await eraseWithChildren(em, erasure, 'workflows', signal, async (workflowId) => {
    await cancelActiveExecutions(em, workflowId);
    const executions = 'select id from workflow_executions where workflow_id = $1';
    await deleteWhere(em, 'workflow_step_runs', `execution_id in (${executions})`, [workflowId], signal);
    for (const table of [
      'event_listeners',
      'workflow_executions',
      'workflow_steps',
      'workflow_transitions',
    ]) {
      await deleteWhere(em, table, 'workflow_id = $1', [workflowId], signal);
    }
    for (const table of ['workflow_version_templates', 'workflow_versions']) {
      await deleteWhere(em, table, 'workflow_id = $1', [workflowId], signal);
    }
  });
  const campaigns = await eraseWithChildren(em, erasure, 'campaigns', signal, async (campaignId) => {
    for (const table of ['campaign_batches', 'campaign_figures', 'campaign_figure_changes']) {
      await deleteWhere(em, table, 'campaign_id = $1', [campaignId], signal);
    }
  });
  const segments = await eraseWithChildren(em, erasure, 'segments', signal, async (segmentId) => {
    await deleteWhere(em, 'segment_members', 'segment_id = $1', [segmentId], signal);
  });
  const jobs = await eraseWithChildren(em, erasure, 'jobs', signal, async (jobId) => {
    await deleteWhere(em, 'job_chunks', 'job_id = $1', [jobId], signal);
  });
  const emails = await deleteByWalk(em, 'emails', erasure, signal);
  await deleteByWalk(em, 'email_contents', erasure, signal);
  await doomed('inbound_emails');
  const contacts = await doomed('contacts');
  await doomed('contact_event_stats', 'first_at');
  await doomed('contact_fields');
  await doomed('event_names');
  // No process may take for known what is gone.
  await sql(em, `select pg_notify('project_changed', $1)`, [projectId]);
  const templates = await doomed('templates');
  await doomed('idempotency_keys');
  await doomed('event_deletions');
  const events = await deleteByWalk(em, 'events', erasure, signal);
  if (erasure.isProjectGone) {
    // Behind the contacts, whose deletion writes changes of the figures.
    for (const table of [
      'contact_figures',
      'contact_figure_changes',
      'project_email_days',
      'project_email_changes',
      'billing_usage',
    ]) {
      await deleteWhere(em, table, 'project_id = $1', [projectId], signal);
    }
  }
  return { contacts, emails, events, templates, segments, campaigns, workflows, jobs };
}

async function deleteWhere(
  em: Em,
  table: string,
  where: string,
  parameters: unknown[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await sql<{ deleted: number }>(
      em,
      `with gone as (
         delete from ${table}
         where ctid = any(array(select ctid from ${table} where ${where} limit ${batchRows} for update skip locked))
         returning 1
       )
       select count(*)::int as deleted from gone`,
      parameters,
    );
    total += row?.deleted ?? 0;
    if ((row?.deleted ?? 0) === 0) return total;
  }
}

/** Children first, so that a parent which is still there says what is left to do. */
async function eraseWithChildren(
  em: Em,
  { projectId, until }: ErasureRecord,
  table: 'workflows' | 'campaigns' | 'segments' | 'jobs',
  signal: AbortSignal | undefined,
  eraseChildren: (id: string) => Promise<void>,
): Promise<number> {
  const parents = await sql<{ id: string }>(
    em,
    `select id from ${table} where project_id = $1 and created_at <= $2`,
    [projectId, until],
  );
  for (const { id } of parents) {
    await eraseChildren(id);
    await deleteWhere(em, table, 'id = $1', [id], signal);
  }
  return parents.length;
}

/** An id as old as the instant that a parameter or expression names. */
const idAt = (instant: string, rest: string) =>
  `(lpad(to_hex((extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || '${rest}')::uuid`;

/**
 * Deletes from a table that has no index by project, which would cost every email a further index write: walks the
 * ids since the project was made, as many at a time as take some milliseconds.
 */
async function deleteByWalk(
  em: Em,
  table: 'emails' | 'email_contents' | 'events',
  { projectId, until }: ErasureRecord,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  // An hour for clocks that differ.
  let [after] = await sql<{ id: string }>(
    em,
    `select ${idAt(`uuid_extract_timestamp($1::uuid) - interval '1 hour'`, '0'.repeat(20))} as id`,
    [projectId],
  );
  while (after !== undefined) {
    signal?.throwIfAborted();
    const [row]: { last: string | null; deleted: number }[] = await sql(
      em,
      `with page as materialized (
         select id, project_id from ${table}
         where id > $2 and id <= ${idAt('$3::timestamptz', 'f'.repeat(20))}
         order by id limit ${pageRows}
       ),
       gone as (
         delete from ${table} where id = any(array(select id from page where project_id = $1)) returning 1
       )
       select (select id from page order by id desc limit 1) as last,
         (select count(*)::int from gone) as deleted`,
      [projectId, after.id, until],
    );
    total += row?.deleted ?? 0;
    after = row?.last == null ? undefined : { id: row.last };
  }
  return total;
}
