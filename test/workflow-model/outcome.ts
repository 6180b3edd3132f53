import type { Orm } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import type { Model } from './model.ts';

interface Scene {
  projectId: string;
  otherProjectId: string;
  workflowId: string;
  calls: unknown[];
}

export interface Story {
  contacts: unknown[];
  executions: unknown[];
  emails: unknown[];
  calls: unknown[];
  journal: unknown[];
}

const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

export function tellModel(model: Model): Story {
  const ended = (status: string) => status === 'COMPLETED' || status === 'EXITED';
  return {
    contacts: model.contacts.flatMap((contact, who) => (contact ? [{ who, ...contact }] : [])),
    executions: model.executions.map(({ who, status, exitReason, context, event, runs }) => ({
      who,
      status,
      exitReason,
      isFailed: status === 'FAILED',
      context,
      event,
      runs: runs.map(({ step, ...run }) => ({ step: `s${step}`, ...run })),
    })),
    emails: model.emails.map(({ who, template, to, event, context }) => ({
      template: `template ${template}`,
      to: to ?? `c${who}@example.com`,
      variables: { event, context },
    })),
    calls: model.calls,
    journal: [
      ...model.events.map(({ who, name, data }) => ({ who, name, data })),
      ...model.executions.map(({ who }) => ({ who, name: 'workflow.started', data: {} })),
      ...model.executions
        .filter(({ status }) => ended(status))
        .map(({ who }) => ({ who, name: 'workflow.completed', data: {} })),
    ].toSorted(byText),
  };
}

export async function tellWorld(orm: Orm, world: Scene): Promise<Story> {
  const { projectId, otherProjectId, workflowId } = world;
  const read = (text: string, parameters: unknown[]) =>
    sql<Record<string, unknown>>(orm.em.fork(), text, parameters);
  const who = `case when c.project_id = $2 then 2 else substr(c.email, 2, 1)::int end as who`;
  const contacts = await read(
    `select ${who}, subscribed, data from contacts c where c.project_id in ($1, $2) order by who`,
    [projectId, otherProjectId],
  );
  const executions = await read(
    `select substr(c.email, 2, 1)::int as who, x.status, x.exit_reason as "exitReason",
       x.error is not null as "isFailed", x.context, x.event,
       coalesce((
         select jsonb_agg(jsonb_build_object('step', s.step ->> 'name', 'branch', r.branch,
           'output', r.output - 'emailId' - 'eventId', 'isOver', r.completed_at is not null) order by r.visit)
         from workflow_step_runs r
         left join lateral (
           select step from workflow_versions v, jsonb_array_elements(v.graph -> 'steps') step
           where v.workflow_id = x.workflow_id and v.version = x.version and step ->> 'id' = r.step_id::text
         ) s on true
         where r.execution_id = x.id), '[]') as runs
     from workflow_executions x join contacts c on c.id = x.contact_id
     where x.workflow_id = $1 order by x.started_at, x.id`,
    [workflowId],
  );
  const emails = await read(
    `select t.name as template, e.to_email as to, k.variables
     from emails e join message_contents k on k.id = e.content_id join templates t on t.id = e.template_id
     where e.workflow_id = $1 order by e.id`,
    [workflowId],
  );
  const journal = await read(
    `select ${who}, e.name, case when e.kind = 'activity' then '{}' else e.data end as data
     from events e join contacts c on c.id = e.contact_id where e.project_id in ($1, $2) and e.name not like 'email.%'`,
    [projectId, otherProjectId],
  );
  return { contacts, executions, emails, calls: world.calls, journal: journal.toSorted(byText) };
}
