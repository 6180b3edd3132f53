import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';
import { z } from 'zod';
import {
  activeCampaignStatusesSql,
  activeStatusesSql,
  openJobStatesSql,
} from '../db/fragments/active-statuses-sql.ts';
import { campaignWorkflow } from '../temporal/contracts/campaign.ts';
import { jobTaskQueue, onTaskQueues } from '../temporal/contracts/task-queues.ts';
import { workflowExecutionWorkflow } from '../temporal/contracts/workflow-execution.ts';
import { workflowIds } from '../temporal/contracts/workflow-ids.ts';
import { type Finding, foundOr, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const report = reporter('Agreement');

/** Sample size of each kind; the sweeps compare everything. */
const sample = 50;
const callsAtATime = 5;
/** Commands of younger ones may still be on their way. */
const settledSeconds = 60;
const shown = 3;

/**
 * Compares samples of executions and campaigns in Postgres with the workflows in Temporal, in both directions, and looks
 * for the workflows of domains, jobs, deletions and erasures, which no sweep starts again.
 */
export async function checkAgreement(
  database: ReadOnly,
  client: Client,
  taskQueue: string,
  now = new Date(),
): Promise<Finding[]> {
  const lost = await findLost(database, client);
  const stopped = await findStopped(database, client);
  const orphaned = await findOrphaned(database, client, taskQueue, settledBefore(now));
  return foundOr(report.ok('samples of what is in progress agree between Postgres and Temporal'), [
    lost.length > 0 &&
      report.error(
        `${lost.length} of a sample are in progress in Postgres but have no open workflow in Temporal: ${list(lost)}`,
        'Their workflows were terminated or lost by Temporal. Sweeps restart a campaign within minutes, and an execution within 15\nminutes of the time until which it waits, or when its event arrives. If campaigns are still here an hour later, check that\nworkers run and no schedule is paused.',
      ),
    stopped.length > 0 &&
      report.error(
        `${stopped.length} of a sample have no open workflow in Temporal, and nothing starts them again: ${list(stopped)}`,
        'Their workflows were terminated or lost by Temporal. docs: "The Temporal UI" has the statements that start them again.',
      ),
    orphaned.length > 0 &&
      report.warning(
        `${orphaned.length} of a sample run in Temporal but have ended in Postgres: ${list(orphaned)}`,
        'The sweep orphaned-executions ends them within the hour. Was Postgres restored from a backup?',
      ),
  ]);
}

const list = (ids: readonly string[]) =>
  ids.slice(0, shown).join(', ') + (ids.length > shown ? ` and ${ids.length - shown} more` : '');

const executionRow = z.object({ id: z.uuid(), workflowId: z.uuid(), contactId: z.uuid() });

// Uses the indexes on running executions, on those due next, and on event listeners.
const executionsSql = `
with candidate as (
  (select id from workflow_executions where status = 'RUNNING' order by started_at limit ${sample})
  union
  (select id from workflow_executions where resume_at is not null order by resume_at limit ${sample})
  union
  (select execution_id from event_listeners where execution_id is not null order by execution_id limit ${sample})
)
select x.id, x.workflow_id as "workflowId", x.contact_id as "contactId"
from candidate c join workflow_executions x on x.id = c.id
where x.status in ${activeStatusesSql} and x.contact_id is not null
  and x.started_at < now() - make_interval(secs => ${settledSeconds})
  and not exists (select from outbox o where o.subject_id = x.id)`;

const campaignsSql = `
select c.id from (
  select id, updated_at from campaigns where status = 'SENDING' limit ${sample}
) c
where c.updated_at < now() - make_interval(secs => ${settledSeconds})
  and not exists (select from outbox o where o.subject_id = c.id)`;

async function findLost({ ask }: ReadOnly, client: Client): Promise<string[]> {
  const executions = await ask(executionRow, executionsSql);
  const campaigns = await ask(z.object({ id: z.uuid() }), campaignsSql);
  const ids = [
    ...executions.map((row) => workflowIds.workflowExecution(row.workflowId, row.contactId, row.id)),
    ...campaigns.map(({ id }) => workflowIds.ofSubject('campaign', id)),
  ];
  return withoutWorkflow(client, ids);
}

const stoppedRow = z.object({
  kind: z.enum([
    'domain-verification',
    'contact-import',
    'contact-bulk',
    'event-deletion',
    'project-erasure',
    'billing-end',
  ]),
  id: z.uuid(),
});

// Domains without a workflow are those whose last check is longest ago. The row of a finished reset stays; its marker in
// the journal goes with the end of its workflow.
const stoppedSql = `
with candidate as (
  (select 'domain-verification' as kind, id from domains
   where created_at < now() - make_interval(secs => ${settledSeconds})
   order by checked_at nulls first limit ${sample})
  union all
  (select 'domain-verification', id from domain_removals
   where created_at < now() - make_interval(secs => ${settledSeconds}) order by id limit ${sample})
  union all
  (select case type when 'import' then 'contact-import' else 'contact-bulk' end, id from jobs
   where state in ${openJobStatesSql} and created_at < now() - make_interval(secs => ${settledSeconds})
   order by created_at limit ${sample})
  union all
  (select 'event-deletion', id from event_deletions
   where created_at < now() - make_interval(secs => ${settledSeconds}) order by id limit ${sample})
  union all
  (select 'project-erasure', r.id from project_erasures r
   where r.created_at < now() - make_interval(secs => ${settledSeconds})
     and (r.erased_at is null or not r.is_reset or exists (select from events e where e.id = r.id))
   order by r.id limit ${sample})
  union all
  (select 'billing-end', c.project_id from billing_customers c
   where c.updated_at < now() - make_interval(secs => ${settledSeconds})
     and not exists (select from projects p where p.id = c.project_id)
   order by c.project_id limit ${sample})
)
select kind, id from candidate where not exists (select from outbox o where o.subject_id = candidate.id)
order by kind, id`;

async function findStopped({ ask }: ReadOnly, client: Client): Promise<string[]> {
  const find = async () =>
    (await ask(stoppedRow, stoppedSql)).map(({ kind, id }) => workflowIds.ofSubject(kind, id));
  const missing = await withoutWorkflow(client, await find());
  if (missing.length === 0) return [];
  // Some may have ended since they were found.
  const still = new Set(await find());
  return missing.filter((id) => still.has(id));
}

async function withoutWorkflow(client: Client, ids: readonly string[]): Promise<string[]> {
  const open = await pMap(ids, (id) => isOpen(client, id), { concurrency: callsAtATime });
  return ids.filter((_, index) => !open[index]);
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const settledBefore = (now: Date) => new Date(now.getTime() - settledSeconds * 1000).toISOString();

async function findOrphaned(
  { ask }: ReadOnly,
  client: Client,
  taskQueue: string,
  before: string,
): Promise<string[]> {
  const which = `${onTaskQueues([taskQueue, jobTaskQueue(taskQueue)])} and StartTime < '${before}'`;
  const executions = await listRunning(client, `${which} and WorkflowType = '${workflowExecutionWorkflow}'`);
  const campaigns = await listRunning(client, `${which} and WorkflowType = '${campaignWorkflow}'`);
  const sql = `select id from workflow_executions where id = any($1::uuid[]) and status in ${activeStatusesSql}
     union all
     select id from campaigns where id = any($2::uuid[]) and status in ${activeCampaignStatusesSql}`;
  const parameters = [executions.map(lastPart), campaigns.map(lastPart)];
  const rows = await ask(z.object({ id: z.uuid() }), sql, parameters);
  const active = new Set(rows.map(({ id }) => id));
  return [...executions, ...campaigns].filter((workflowId) => !active.has(lastPart(workflowId)));
}

const lastPart = (workflowId: string) => workflowId.slice(workflowId.lastIndexOf('/') + 1);

async function listRunning(client: Client, which: string): Promise<string[]> {
  const query = `${which} and ExecutionStatus = 'Running'`;
  const found: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: sample })) {
    found.push(workflowId);
    if (found.length >= sample) break;
  }
  return found;
}
