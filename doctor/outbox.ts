import { z } from 'zod';
import { campaignPauseSql, campaignPauses } from '../db/fragments/campaign-pause-sql.ts';
import { type Finding, presentAge, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const mostCounted = 100_000;
const topProjects = 5;
const lateSeconds = { 'email.dispatch': 60, other: 3_600 };
const lateSecondsSql = `case kind when 'email.dispatch' then ${lateSeconds['email.dispatch']} else ${lateSeconds.other} end`;

const revive =
  'Fix the cause, then run: update outbox set dead_at = null, attempts = 0, next_attempt_at = now() where dead_at is not null;';

const deadRow = z.object({ kind: z.string(), count: z.int(), error: z.string().nullable() });

export async function checkDeadCommands({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Outbox');
  const sql = `select kind, count(*)::int as count, max(left(last_error, 200)) as error
     from (select kind, last_error from outbox where dead_at is not null limit ${mostCounted}) dead
     group by kind order by 2 desc`;
  const rows = await ask(deadRow, sql);
  if (rows.length === 0) return [report.ok('no dead commands')];
  return rows.map(({ kind, count, error }) =>
    report.error(`${count} dead commands ${kind}: ${error ?? 'no reason was recorded'}`, revive),
  );
}

const backlogRow = z.object({
  kind: z.string(),
  projectId: z.uuid(),
  project: z.string().nullable(),
  count: z.int(),
  oldestSeconds: z.number(),
});

/** Reports the largest groups, those that are late first. */
export async function checkBacklog({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Outbox');
  const sql = `select o.kind, o.project_id as "projectId", p.name as project, o.count, o.oldest as "oldestSeconds"
     from (
       select kind, project_id, count(*)::int as count,
         extract(epoch from now() - min(created_at))::float8 as oldest
       from (select kind, project_id, created_at from outbox where dead_at is null limit ${mostCounted}) waiting
       group by kind, project_id
       order by now() - min(created_at) > make_interval(secs => ${lateSecondsSql}) desc, 3 desc limit ${topProjects}
     ) o
     left join projects p on p.id = o.project_id
     order by o.count desc`;
  const rows = await ask(backlogRow, sql);
  if (rows.length === 0) return [report.ok('nothing waits')];
  return rows.map(({ kind, projectId, project, count, oldestSeconds }) => {
    const text = `${count} ${kind} of ${nameOf(project, projectId)} wait, the oldest for ${presentAge(oldestSeconds)}`;
    const late = kind === 'email.dispatch' ? lateSeconds['email.dispatch'] : lateSeconds.other;
    if (oldestSeconds < late) return report.ok(text);
    return report.error(text, 'Is a worker running, and does Temporal answer? docs: "The outbox grows".');
  });
}

const pauseRemedies = {
  'project disabled': 'It continues when the project is enabled. docs: "A project is disabled".',
  'domain not verified':
    'It continues when the domain of its sender is verified. docs: "A domain stays pending".',
};

const waitingRow = backlogRow.omit({ kind: true });

/** Checks single emails held back by the send rate, and running campaigns. */
export async function checkSending({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Sending');
  const sql = `select w.project_id as "projectId", p.name as project, w.count,
       extract(epoch from now() - uuid_extract_timestamp(w.oldest))::float8 as "oldestSeconds"
     from (
       select project_id, count(*)::int as count, (array_agg(email_id order by email_id))[1] as oldest
       from (select project_id, email_id from waiting_emails limit ${mostCounted}) waiting
       group by project_id order by 2 desc limit ${topProjects}
     ) w
     left join projects p on p.id = w.project_id
     order by w.count desc`;
  const waiting = await ask(waitingRow, sql);
  const campaigns = await ask(
    z.object({
      name: z.string(),
      recipients: z.int(),
      ageSeconds: z.number(),
      pause: z.enum(campaignPauses).nullable(),
    }),
    `select k.name, k.total_recipients as recipients,
       extract(epoch from now() - coalesce(k.started_at, k.created_at))::float8 as "ageSeconds",
       ${campaignPauseSql('k', 'p')} as pause
     from campaigns k join projects p on p.id = k.project_id
     where k.status = 'SENDING' order by k.scheduled_for nulls first limit ${topProjects}`,
  );
  if (waiting.length + campaigns.length === 0)
    return [report.ok('nothing waits for the send rate, and no campaign is running')];
  return [
    ...waiting.map(({ project, projectId, count, oldestSeconds }) => {
      const text = `${count} emails of ${nameOf(project, projectId)} wait for the send rate, the oldest for ${presentAge(oldestSeconds)}`;
      if (oldestSeconds < 3_600) return report.ok(text);
      return report.warning(
        text,
        'Ask the provider for a higher rate. docs: "Emails wait for the send rate".',
      );
    }),
    ...campaigns.map(({ name, recipients, ageSeconds, pause }) => {
      const text = `the campaign ${JSON.stringify(name)} to ${recipients} recipients has been running for ${presentAge(ageSeconds)}`;
      return pause === null
        ? report.ok(text)
        : report.warning(`${text}; it is paused: ${pause}`, pauseRemedies[pause]);
    }),
  ];
}

function nameOf(project: string | null, projectId: string): string {
  return project === null ? `project ${projectId}` : `${JSON.stringify(project)} (${projectId})`;
}
