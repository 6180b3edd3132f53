import type { Branch, DraftGraph } from '../../../core/workflows/graph.ts';
import { type StepType, templateIdOf } from '../../../core/workflows/step-config.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A step as it is edited. */
export interface StepRecord {
  id: string;
  type: StepType;
  name: string;
  position: Record<string, unknown> | null;
  config: Record<string, unknown>;
  templateId: string | null;
}

export interface TransitionRecord {
  id: string;
  fromStepId: string;
  toStepId: string;
  branch: Branch | null;
}

/** The steps of a workflow, oldest first. */
export function listSteps(em: Em, workflowId: string): Promise<StepRecord[]> {
  return sql(
    em,
    `select id, type, name, position, config, template_id as "templateId"
     from workflow_steps where workflow_id = $1 order by created_at, id`,
    [workflowId],
  );
}

/** Bytes of the JSON of all configs and positions of a workflow, as Postgres writes it: `1e300` has 301 digits. */
export async function measureSteps(em: Em, workflowId: string): Promise<number> {
  const [row] = await sql<{ bytes: number }>(
    em,
    `select sum(octet_length(config::text) + coalesce(octet_length(position::text), 0))::float8 as bytes
     from workflow_steps where workflow_id = $1`,
    [workflowId],
  );
  return row?.bytes ?? 0;
}

/** The transitions of a workflow, oldest first. */
export function listTransitions(em: Em, workflowId: string): Promise<TransitionRecord[]> {
  return sql(
    em,
    `select id, from_step_id as "fromStepId", to_step_id as "toStepId", branch
     from workflow_transitions where workflow_id = $1 order by created_at, id`,
    [workflowId],
  );
}

export async function insertStep(em: Em, workflowId: string, step: StepRecord): Promise<void> {
  await sql(
    em,
    `insert into workflow_steps (id, workflow_id, type, name, position, config, template_id, created_at)
     values ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, clock_timestamp())`,
    [
      step.id,
      workflowId,
      step.type,
      step.name,
      step.position === null ? null : JSON.stringify(step.position),
      JSON.stringify(step.config),
      step.templateId,
    ],
  );
}

/** Replaces what a step is; its type stays. */
export async function updateStep(em: Em, step: StepRecord): Promise<void> {
  await sql(
    em,
    `update workflow_steps set name = $2, position = $3::jsonb, config = $4::jsonb, template_id = $5 where id = $1`,
    [
      step.id,
      step.name,
      step.position === null ? null : JSON.stringify(step.position),
      JSON.stringify(step.config),
      step.templateId,
    ],
  );
}

/** Removes a step with all transitions from and to it. */
export async function deleteStep(em: Em, workflowId: string, stepId: string): Promise<void> {
  await sql(
    em,
    `with removed as (delete from workflow_steps where id = $2 and workflow_id = $1 returning id)
     delete from workflow_transitions t using removed s
     where t.workflow_id = $1 and (t.from_step_id = s.id or t.to_step_id = s.id)`,
    [workflowId, stepId],
  );
}

export async function insertTransition(em: Em, workflowId: string, way: TransitionRecord): Promise<void> {
  await sql(
    em,
    `insert into workflow_transitions (id, workflow_id, from_step_id, to_step_id, branch, created_at)
     values ($1, $2, $3, $4, $5, clock_timestamp())`,
    [way.id, workflowId, way.fromStepId, way.toStepId, way.branch],
  );
}

export async function deleteTransition(em: Em, workflowId: string, id: string): Promise<void> {
  await sql(em, 'delete from workflow_transitions where workflow_id = $1 and id = $2', [workflowId, id]);
}

/**
 * Ends a structural edit: the workflow's version rises by one. With `graph`, which has no faults, it is what new
 * executions get from now on; without, they get the graph that they got before. The caller holds the workflow.
 */
export async function storeGraph(em: Em, workflowId: string, graph: DraftGraph | undefined): Promise<void> {
  await sql(
    em,
    `with raised as (
       update workflows
       set version = version + 1, live_version = case when $2::jsonb is null then live_version else version + 1 end,
         updated_at = clock_timestamp()
       where id = $1
       returning id, version
     ),
     sent as (
       insert into workflow_version_templates (template_id, workflow_id, version)
       select t.id, r.id, r.version from raised r cross join unnest($3::uuid[]) as t(id)
     )
     insert into workflow_versions (workflow_id, version, graph)
     select id, version, $2::jsonb from raised where $2::jsonb is not null`,
    [workflowId, graph === undefined ? null : JSON.stringify(graph), templatesOf(graph)],
  );
}

function templatesOf(graph: DraftGraph | undefined): string[] {
  const ids = (graph?.steps ?? []).map(({ type, config }) => templateIdOf(type, config));
  return [...new Set(ids.filter((id) => id !== null))];
}

/**
 * The stored graph of a version, for `parseGraph`. It never changes.
 * @returns undefined when the workflow was deleted
 */
export async function readGraph(em: Em, workflowId: string, version: number): Promise<unknown> {
  const [row] = await sql<{ graph: unknown }>(
    em,
    'select graph from workflow_versions where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
  return row?.graph;
}
