import type { WorkflowRow } from '../../entities/workflow.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { containsSql } from '../contacts/text-search.ts';

const columns = `id, project_id as "projectId", name, description, enabled, event_name as "eventName",
  allow_reentry as "allowReentry", version, live_version as "liveVersion", created_at as "createdAt",
  updated_at as "updatedAt"`;

const searchSql = `project_id = $1
  and ($2::text is null or ${containsSql(['name', 'description', 'event_name'], '$2')})`;

/**
 * A page of the project's workflows, newest first.
 * @param search part of the name, the description or the event's name, whatever its case
 */
export function listWorkflows(
  em: Em,
  projectId: string,
  search: string | undefined,
  page: { limit: number; offset: number },
): Promise<WorkflowRow[]> {
  return sql(
    em,
    `select ${columns} from workflows where ${searchSql}
     order by created_at desc, id desc limit $3 offset $4::bigint`,
    [projectId, search ?? null, page.limit, page.offset],
  );
}

export async function countWorkflows(em: Em, projectId: string, search: string | undefined): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from workflows where ${searchSql}`,
    [projectId, search ?? null],
  );
  return row?.count ?? 0;
}

/**
 * A workflow of the project.
 * @param hold in a transaction: `update` keeps other edits away until its end, `delete` also what starts executions,
 * `keep` keeps it from being deleted
 */
export async function findWorkflow(
  em: Em,
  projectId: string,
  id: string,
  hold?: 'update' | 'delete' | 'keep',
): Promise<WorkflowRow | undefined> {
  const lock = { update: 'for no key update', delete: 'for update', keep: 'for key share' };
  const [row] = await sql<WorkflowRow>(
    em,
    `select ${columns} from workflows where project_id = $1 and id = $2 ${hold === undefined ? '' : lock[hold]}`,
    [projectId, id],
  );
  return row;
}

export interface NewWorkflow {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  eventName: string;
  allowReentry: boolean;
}

/** Adds a workflow without steps; it has no version that could run before `storeGraph`. */
export async function insertWorkflow(em: Em, workflow: NewWorkflow): Promise<WorkflowRow> {
  const { id, projectId, name, description, eventName, allowReentry } = workflow;
  const [row] = await sql<WorkflowRow>(
    em,
    `insert into workflows (id, project_id, name, description, event_name, allow_reentry, version)
     values ($1, $2, $3, $4, $5, $6, 0) returning ${columns}`,
    [id, projectId, name, description, eventName, allowReentry],
  );
  if (row === undefined) throw new Error('A workflow that was inserted is missing in the answer');
  return row;
}

/** What can be changed of a workflow besides its graph. */
export type WorkflowFields = Pick<
  WorkflowRow,
  'name' | 'description' | 'enabled' | 'eventName' | 'allowReentry'
>;

/**
 * Replaces what a workflow is besides its graph, and has it listen to its event while it is enabled and not otherwise.
 * The caller holds it.
 */
export async function updateWorkflow(em: Em, id: string, fields: WorkflowFields): Promise<void> {
  await sql(
    em,
    `with changed as (
       update workflows
       set name = $2, description = $3, enabled = $4, event_name = $5, allow_reentry = $6,
         updated_at = clock_timestamp()
       where id = $1
       returning id, project_id, event_name, enabled
     ),
     silenced as (
       delete from event_listeners l using changed w
       where l.workflow_id = w.id and l.execution_id is null and (not w.enabled or l.event_name <> w.event_name)
     )
     insert into event_listeners (project_id, event_name, contact_id, id, workflow_id)
     select project_id, event_name, $7, id, id from changed where enabled
     on conflict do nothing`,
    [
      id,
      fields.name,
      fields.description ?? null,
      fields.enabled,
      fields.eventName,
      fields.allowReentry,
      everyone,
    ],
  );
}

/** In place of a contact: those who listen to the events of all. */
const everyone = '00000000-0000-0000-0000-000000000000';

/**
 * Removes a workflow, its graph and its listener; the caller holds it with `delete`. Its executions and versions are
 * left for `dropExecutions`.
 */
export async function deleteWorkflow(em: Em, id: string): Promise<void> {
  await sql(
    em,
    `with removed as (delete from workflows where id = $1 returning id),
     steps as (delete from workflow_steps s using removed w where s.workflow_id = w.id),
     transitions as (delete from workflow_transitions t using removed w where t.workflow_id = w.id)
     delete from event_listeners l using removed w where l.workflow_id = w.id`,
    [id],
  );
}
