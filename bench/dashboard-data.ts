import { fillAudience } from './audience-data.ts';
import { connectForLoad, random, withoutIndexes } from './bulk-load.ts';
import { bodySql, fillEmails } from './dashboard-emails.ts';

export interface DashboardSize {
  contacts: number;
  emails: number;
  /** Recipients of each large campaign; default all contacts. */
  recipients?: number;
  executions: number;
  /** Events of the journal in Postgres. */
  journal: number;
}

/** Records created through the API, to be multiplied. */
export interface DashboardRecords {
  projectId: string;
  templateId: string;
  /** The workflow with all executions, and its steps in order. */
  workflowId: string;
  stepIds: string[];
  staticSegmentId: string;
  dynamicSegmentId: string;
}

const stepsPerExecution = 10;
const templates = 300;
const workflows = 60;
const segments = 80;
const images = 5_000;

/** An equal share of $3 executions is still waiting at each of its steps. */
const executionsSql = `
insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, current_step_id,
  visit, resume_at, event, started_at, completed_at, hops)
select uuidv7(at - now()), $1, $2, v.live_version, r.id, status, false,
  case when status = 'WAITING' then ($4::uuid[])[1 + n % ${stepsPerExecution}] end,
  case when status = 'WAITING' then 1 + n % ${stepsPerExecution} else ${stepsPerExecution} end,
  case when status = 'WAITING' then now() + n % 30 * interval '1 day' end, '{"plan": "pro"}', at,
  case when status <> 'WAITING' then at + interval '9 days' end, 0
from generate_series(1, $3::int) n
cross join lateral (
  select now() - (100 - 90 * n / $3::float8) * interval '1 day' as at,
    (array['WAITING', 'FAILED', 'EXITED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'])[1 + n % 8]
      as status
) made
join bench_recipients r on r.k = n
join workflows v on v.id = $2`;

const stepRunsSql = `
insert into workflow_step_runs (execution_id, visit, step_id, output, error, started_at, completed_at)
select x.id, n, ($2::uuid[])[n], '{"resumed": "timeout"}',
  case when x.status = 'FAILED' and n = x.visit then 'The call was refused' end,
  x.started_at + (n - 1) * interval '1 day',
  case when x.status <> 'WAITING' or n < x.visit then x.started_at + n * interval '1 day' end
from workflow_executions x, generate_series(1, x.visit) n
where x.workflow_id = $1`;

/** Each statement with only the parameters that its text uses. */
const smallSql: readonly [string, (records: DashboardRecords) => unknown[]][] = [
  [
    `update contacts set subscribed = false, suppressed_at = created_at + interval '1 day',
       suppression_reason = case when ${random('hashtextextended(email, 0)', 61)} < 0.1 then 'complaint' else 'bounce' end
     where project_id = $1 and ${random('hashtextextended(email, 0)', 60)} < 0.012`,
    ({ projectId }) => [projectId],
  ],
  [
    `insert into templates (id, project_id, name, subject, body, from_email, type, created_at, updated_at)
     select uuidv7(), $1, 'Template ' || n, 'Hello number ' || n, ${bodySql}, 'news@sender.example.com', 'MARKETING',
       now() - n * interval '1 hour', now() - n * interval '1 minute' from generate_series(1, ${templates}) n`,
    ({ projectId }) => [projectId],
  ],
  [
    `insert into workflows (id, project_id, name, event_name, created_at)
     select uuidv7(), $1, 'Workflow ' || n, 'order placed', now() - n * interval '1 hour'
     from generate_series(1, ${workflows}) n`,
    ({ projectId }) => [projectId],
  ],
  [
    `insert into segments (id, project_id, name, type, condition, filter_count, slug, member_count, counted_at, created_at)
     select uuidv7(), project_id, 'Segment ' || n, type, condition, filter_count, 'segment-' || n, n * 1000, now(),
       now() - n * interval '1 hour'
     from segments, generate_series(1, ${segments}) n where id = $1`,
    ({ dynamicSegmentId }) => [dynamicSegmentId],
  ],
  [
    `insert into segment_members (segment_id, contact_id, created_at)
     select $1, id, now() from bench_recipients where k % 3 = 0`,
    ({ staticSegmentId }) => [staticSegmentId],
  ],
  [
    `update segments set counted_at = now(),
       member_count = (select count(*) from segment_members where segment_id = $1)
     where id = $1`,
    ({ staticSegmentId }) => [staticSegmentId],
  ],
  [
    `insert into event_names (project_id, name)
     select distinct project_id, name from contact_event_stats
     on conflict do nothing`,
    () => [],
  ],
  [
    `insert into uploads (key, project_id, size, stored, created_at)
     select $1::uuid || '/' || md5(n::text) || '.png', $1::uuid, 50000 + n, true, now() - n * interval '1 hour'
     from generate_series(1, ${images}) n`,
    ({ projectId }) => [projectId],
  ],
  [
    `insert into upload_totals (project_id, files, bytes)
     select project_id, count(*), sum(size) from uploads group by project_id`,
    () => [],
  ],
  [
    `insert into project_email_days (project_id, day, sent, bounced, complained)
     select $1, current_date - n, 100000, 800, 5 from generate_series(0, 90) n`,
    ({ projectId }) => [projectId],
  ],
];

/** Fills the project with set-based statements, and some other projects with contacts. */
export async function fillDashboard(
  databaseUrl: string,
  records: DashboardRecords,
  size: DashboardSize,
): Promise<void> {
  const { projectId, workflowId, stepIds } = records;
  const clients = await Promise.all([connectForLoad(databaseUrl), connectForLoad(databaseUrl)]);
  const [client] = clients;
  try {
    await fillAudience(databaseUrl, projectId, { contacts: size.contacts, events: size.journal }, () =>
      fillEmails(clients, records, { contacts: size.recipients ?? size.contacts, emails: size.emails }),
    );
    await withoutIndexes(client, 'workflow_executions', () =>
      client.query(executionsSql, [projectId, workflowId, size.executions, stepIds]),
    );
    await withoutIndexes(client, 'workflow_step_runs', () =>
      client.query(stepRunsSql, [workflowId, stepIds]),
    );
    for (const [statement, parameters] of smallSql) await client.query(statement, parameters(records));
    await client.query('drop table bench_recipients');
    await client.query('vacuum analyze');
  } finally {
    await Promise.all(clients.map((each) => each.end()));
  }
}
