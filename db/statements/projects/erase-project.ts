import { z } from 'zod';
import {
  type SendingCategory,
  sendingCategories,
  sourceOfCategory,
} from '../../../core/billing/categories.ts';
import { emailSources } from '../../../core/email-state.ts';
import { nilId } from '../../../core/nil-id.ts';
import { endWhenDue, type Slice, wholeWork } from '../../../core/slice.ts';
import { giveBackUsageSql } from '../../fragments/count-usage-sql.ts';
import { stopCampaignsSql } from '../../fragments/stop-campaigns-sql.ts';
import { lastUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query, queryColumn, queryValue } from '../../sql.ts';
import { cancelBatches } from '../campaigns/cancel-batches.ts';
import { dropUnusedInputs } from '../segments/plan-segment.ts';
import { cancelActiveExecutions } from '../workflows/cancel-executions.ts';
import { deleteBatchOfExecutions } from '../workflows/delete-executions.ts';
import type { ErasureOrder } from './erasure-orders.ts';
import { notifyProjectChange } from './notify-project-change.ts';

/** Rows with texts of up to 8 MB, each of which Postgres stores in 4,000 further rows. */
const largeTables = new Set([
  'message_contents',
  'template_contents',
  'inbound_emails',
  'templates',
  'workflow_versions',
]);
const batchRows = (table: string) => (largeTables.has(table) ? 100 : 5_000);
const heldRow = z.object({});

interface Run {
  em: Em;
  erasure: ErasureOrder;
  slice: Slice;
}

/**
 * Deletes the data that a project created up to an instant, in short transactions that count the deleted rows. Keys,
 * members, domains, settings and reputation figures stay while the project exists, and emails that never left no longer
 * count in its usage. Safe to interrupt and repeat.
 *
 * @param em outside of a transaction
 * @param slice its signal stops it between batches
 * @throws SliceOver when another slice has to continue
 */
export async function eraseProject(em: Em, erasure: ErasureOrder, slice: Slice): Promise<void> {
  const run: Run = { em, erasure, slice };
  await eraseWithChildren(run, 'workflows', eraseOfWorkflow);
  await eraseWithChildren(run, 'campaigns', eraseOfCampaign);
  await eraseWithChildren(run, 'segments', (inner, id) =>
    deleteWhere(inner, 'segment_members', 'segment_id = $1 order by segment_id, contact_id', [id]),
  );
  await eraseWithChildren(run, 'jobs', (inner, id) => deleteWhere(inner, 'job_chunks', 'job_id = $1', [id]));
  await eraseEmails(run);
  await eraseContacts(run);
  // Every process must drop its cached copies of the deleted rows.
  await notifyProjectChange(em, erasure.projectId);
  await eraseCreated(run, 'templates', 'project_id, created_at, id');
  await eraseCreated(run, 'idempotency_keys', 'project_id, key');
  await eraseCreated(run, 'event_deletions', 'id');
  await eraseJournal(run);
  // After the contacts, because deleting those writes figure changes.
  if (erasure.isProjectGone) await eraseFigures(run);
}

function eraseCreated(run: Run, table: string, order: string, column = 'created_at'): Promise<void> {
  const { projectId, until } = run.erasure;
  return deleteWhere(run, table, `project_id = $1 and ${column} <= $2 order by ${order}`, [projectId, until]);
}

async function eraseOf(run: Run, column: string, id: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) await deleteWhere(run, table, `${column} = $1`, [id]);
}

const tablesOfWorkflow = [
  'workflow_steps',
  'workflow_transitions',
  'workflow_version_templates',
  'workflow_versions',
];

async function eraseOfWorkflow(run: Run, workflowId: string): Promise<void> {
  await cancelActiveExecutions(run.em, workflowId);
  await deleteWhere(run, 'event_listeners', 'workflow_id = $1 order by workflow_id', [workflowId]);
  do run.slice.signal?.throwIfAborted();
  while (goesOn(run, await deleteBatchOfExecutions(run.em, workflowId)));
  await eraseOf(run, 'workflow_id', workflowId, tablesOfWorkflow);
}

const tablesOfCampaign = ['campaign_batches', 'campaign_figures', 'campaign_figure_changes'];
const batchesPerCancel = 2;

async function eraseOfCampaign(run: Run, campaignId: string): Promise<void> {
  if (!run.erasure.isProjectGone) await cancelEmails(run, campaignId);
  await eraseOf(run, 'campaign_id', campaignId, tablesOfCampaign);
}

/** Deletes each batch whose emails it has canceled, so that the next slice continues after it. */
async function cancelEmails(run: Run, campaignId: string): Promise<void> {
  // A draft may have been sent since the erasure was ordered. Once it has ended, it gets no further batches.
  await execute(run.em, `with ${stopCampaignsSql('id = $1')} select from stopped`, [campaignId]);
  for (let last: number | null = 0; last !== null; ) {
    run.slice.signal?.throwIfAborted();
    last = await cancelBatches(run.em, campaignId, last, batchesPerCancel);
    const ofCampaign = 'campaign_id = $1 and number <= $2';
    if (last !== null) await deleteWhere(run, 'campaign_batches', ofCampaign, [campaignId, last]);
  }
}

async function eraseEmails(run: Run): Promise<void> {
  // One source at a time, to use the index on source.
  for (const source of emailSources) {
    const category = sendingCategories.find((one) => sourceOfCategory[one] === source);
    await deleteById(run, 'emails', `source = '${source}'`, category);
  }
  await deleteById(run, 'message_contents');
  await eraseTemplateContents(run);
  await eraseCreated(run, 'inbound_emails', 'project_id, provider_id');
}

/** Emails queued since may share the text of an earlier one. */
function eraseTemplateContents(run: Run): Promise<void> {
  const { projectId, until } = run.erasure;
  const where = `project_id = $1 and created_at <= $2 and not exists (
       select from message_contents m where m.project_id = $1 and m.template_content_id = template_contents.id)
     order by project_id, created_at`;
  return deleteWhere(run, 'template_contents', where, [projectId, until]);
}

async function eraseContacts(run: Run): Promise<void> {
  await eraseCreated(run, 'contacts', 'project_id, created_at, id');
  await eraseCreated(run, 'contact_event_stats', 'project_id, name, contact_id', 'first_at');
  await eraseCreated(run, 'contact_fields', 'project_id, key');
  await eraseCreated(run, 'event_names', 'project_id, name');
  await eraseTraces(run);
  await eraseSegmentRounds(run);
}

/** Members and statistics that were written since the erasure was ordered, of contacts that are gone. */
async function eraseTraces(run: Run): Promise<void> {
  const { projectId } = run.erasure;
  // With an offset, a look-up by key for each row: a join may read the contacts of all projects.
  const isGone = 'not exists (select from contacts c where c.id = contact_id offset 0)';
  const ofSegment = `segment_id = $1 and ${isGone} order by segment_id, contact_id`;
  const segmentsSql = 'select id from segments where project_id = $1';
  for (const id of await queryColumn(run.em, z.uuid(), segmentsSql, [projectId]))
    await deleteWhere(run, 'segment_members', ofSegment, [id]);
  const ofProject = `project_id = $1 and ${isGone} order by project_id, name, contact_id`;
  await deleteWhere(run, 'contact_event_stats', ofProject, [projectId]);
}

/** Includes changes that are due later, but not changes of contacts created since. */
async function eraseSegmentRounds(run: Run): Promise<void> {
  const { projectId } = run.erasure;
  const gone = 'not exists (select from contacts c where c.id = any(contact_ids))';
  const where = `project_id = $1 and ${gone} order by project_id, id`;
  await deleteWhere(run, 'segment_changes', where, [projectId]);
  await dropUnusedInputs(run.em, projectId);
  await deleteWhere(run, 'segment_rounds', 'project_id = $1', [projectId]);
}

async function eraseJournal(run: Run): Promise<void> {
  const { projectId, until } = run.erasure;
  await deleteById(run, 'events', `kind = 'activity'`);
  const where = `project_id = $1 and kind <> 'activity' and id <= ${lastUuidAtSql('$2::timestamptz')}
     order by project_id, name, contact_id, occurred_at`;
  // The table is partitioned, and a ctid is unique only within a partition.
  await deleteWhere(run, 'events', where, [projectId, until], 'id');
}

const figures = [
  'contact_figures',
  'contact_figure_changes',
  'project_email_days',
  'project_email_changes',
  'billing_usage',
  'segment_changes',
  'segment_inputs',
  'segment_rounds',
  'upload_totals',
];

const eraseFigures = (run: Run) => eraseOf(run, 'project_id', run.erasure.projectId, figures);

/** Counts in the same statement as the deletion, so that a crash neither loses nor repeats a count. */
const countGone = (table: string, erasureId: string) => `
  counted as (
    update project_erasures
    set done = done || jsonb_build_object('${table}',
      coalesce((done->>'${table}')::int, 0) + (select count(*)::int from gone))
    where id = ${erasureId} and exists (select from gone)
  )`;

/** @throws SliceOver between two batches */
function goesOn({ slice }: Run, deleted: number): boolean {
  if (deleted > 0) endWhenDue(slice);
  return deleted > 0;
}

/**
 * Deletes rows that nobody else has locked, in batches. Then waits for the locked ones, one row at a time, so that no
 * deadlock is possible.
 */
async function deleteWhere(
  run: Run,
  table: string,
  where: string,
  parameters: unknown[],
  key = 'ctid',
): Promise<void> {
  const deleteFree = (em: Em) => {
    run.slice.signal?.throwIfAborted();
    const sql = `with gone as (
         delete from ${table}
         where ${key} = any(array(select ${key} from ${table} where ${where} limit ${batchRows(table)} for update skip locked))
         returning 1
       ),
       ${countGone(table, `$${parameters.length + 1}`)}
       select count(*)::int as deleted from gone`;
    return queryValue(em, z.int(), sql, [...parameters, run.erasure.id]);
  };
  const deleteHeld = () =>
    run.em.transactional(async (em) => {
      const sql = `select from ${table} where ${where} limit 1 for update`;
      const held = await query(em, heldRow, sql, parameters);
      // In a second statement, which sees the changes of the other transaction: the row may have to stay by now.
      if (held.length > 0) await deleteFree(em);
      return held.length > 0;
    });
  do while (goesOn(run, await deleteFree(run.em)));
  while (await deleteHeld());
}

/**
 * Deletes children before their parent, so that a remaining parent shows what is left to do. Repeats it under the
 * parent's lock, which transactions that write children hold.
 */
async function eraseWithChildren(
  run: Run,
  table: 'workflows' | 'campaigns' | 'segments' | 'jobs',
  eraseChildren: (run: Run, id: string) => Promise<void>,
): Promise<void> {
  const sql = `select id from ${table} where project_id = $1 and created_at <= $2`;
  const parents = await queryColumn(run.em, z.uuid(), sql, [run.erasure.projectId, run.erasure.until]);
  for (const id of parents) {
    await eraseChildren(run, id);
    await run.em.transactional(async (em) => {
      // Ended within the transaction, the slice would lose its progress.
      const inner = { ...run, em, slice: { ...run.slice, ...wholeWork } };
      await execute(em, `select from ${table} where id = $1 for update`, [id]);
      await eraseChildren(inner, id);
      await deleteWhere(inner, table, 'id = $1', [id]);
    });
    endWhenDue(run.slice);
  }
}

/**
 * Deletes in id order. Each page starts after the previous one, so that dead rows are not scanned again.
 *
 * @param category in whose usage queued emails stop counting; one that is being handed over may still leave
 */
async function deleteById(
  run: Run,
  table: 'emails' | 'message_contents' | 'events',
  filter = 'true',
  category?: SendingCategory,
): Promise<void> {
  const { projectId, until, id: erasureId, isProjectGone } = run.erasure;
  const givesBack = category !== undefined && !isProjectGone;
  const returned = givesBack ? 'project_id, created_at, campaign_id, status' : '1';
  const queued = `select * from gone where status = 'QUEUED'`;
  let after: string | null = nilId;
  while (after !== null) {
    run.slice.signal?.throwIfAborted();
    const sql = `with page as materialized (
         select id from ${table}
         where project_id = $1 and id > $2 and id <= ${lastUuidAtSql('$3::timestamptz')} and ${filter}
         order by project_id, id limit ${batchRows(table)}
       ),
       gone as (delete from ${table} where id = any(array(select id from page)) returning ${returned}),
       ${givesBack ? `given_back as (${giveBackUsageSql(category, queued)}),` : ''}
       ${countGone(table, '$4')}
       select (select id from page order by id desc limit 1) as last`;
    after = await queryValue(run.em, z.uuid().nullable(), sql, [projectId, after, until, erasureId]);
    if (after !== null) endWhenDue(run.slice);
  }
}
