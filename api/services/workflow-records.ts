import { DomainError, notFound, validationFailed } from '../../core/errors.ts';
import type { DraftGraph } from '../../core/workflows/graph.ts';
import { findGraphFaults, type GraphFault } from '../../core/workflows/graph-faults.ts';
import type { WorkflowRow } from '../../db/entities/workflow.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  listSteps,
  listTransitions,
  measureSteps,
  storeGraph,
} from '../../db/repositories/workflows/workflow-graphs.ts';
import { findWorkflow } from '../../db/repositories/workflows/workflows.ts';
import type { WorkflowWithGraph } from '../presenters/workflow.ts';

/** Configs and positions of all steps of a workflow, as Postgres writes them. */
const maxStepBytes = 1024 * 1024;

/** A workflow with its graph. @throws DomainError `NOT_FOUND` */
export async function requireWorkflow(em: Em, projectId: string, id: string): Promise<WorkflowRow> {
  const workflow = await findWorkflow(em, projectId, id);
  if (workflow === undefined) throw notFound('Workflow');
  return workflow;
}

/** A workflow and its graph before an edit. */
export type HeldWorkflow = Omit<WorkflowWithGraph, 'faults'>;

/** The graph of a workflow as it is edited now, and what keeps it from running. */
export async function readWorkflowGraph(em: Em, workflow: WorkflowRow): Promise<WorkflowWithGraph> {
  const read = await readSteps(em, workflow);
  return { ...read, faults: findFaults(read) };
}

async function readSteps(em: Em, workflow: WorkflowRow): Promise<HeldWorkflow> {
  const steps = await listSteps(em, workflow.id);
  return { workflow, steps, transitions: await listTransitions(em, workflow.id) };
}

/** What keeps the graph of a workflow from running. */
export function findFaults({ workflow, steps, transitions }: HeldWorkflow): GraphFault[] {
  return findGraphFaults({ eventName: workflow.eventName, steps, transitions });
}

/** @throws DomainError `BAD_REQUEST` that lists everything that keeps the graph from running */
export function requireNoFaults(faults: readonly GraphFault[]): void {
  if (faults.length === 0) return;
  throw new DomainError(
    'BAD_REQUEST',
    `The workflow can't run yet: ${faults.map(({ message }) => message).join('; ')}`,
    {
      details: { faults },
      issues: faults.map(({ stepId, field, message, code }) => ({
        field: stepId === null ? 'steps' : ['steps', stepId, field].filter(Boolean).join('.'),
        message,
        code,
      })),
    },
  );
}

/**
 * Lets a step that was added or changed stay when the workflow has room for it.
 * @throws DomainError `VALIDATION_ERROR`
 */
export async function requireRoom(em: Em, workflowId: string): Promise<void> {
  if ((await measureSteps(em, workflowId)) <= maxStepBytes) return;
  const message =
    'The steps of a workflow have at most 1 MB of JSON together: shorten this one or another, or go on in a second workflow';
  throw validationFailed([{ field: 'config', message, code: 'too_big' }]);
}

/** Ends a structural edit: raises the version, and has new executions follow it when it can run. */
export async function finishEdit(em: Em, workflow: Pick<WorkflowRow, 'id' | 'eventName'>): Promise<void> {
  const graph: DraftGraph = {
    eventName: workflow.eventName,
    steps: (await listSteps(em, workflow.id)).map(({ id, type, name, config }) => ({
      id,
      type,
      name,
      config,
    })),
    transitions: await listTransitions(em, workflow.id),
  };
  await storeGraph(em, workflow.id, findGraphFaults(graph).length === 0 ? graph : undefined);
}

/**
 * Runs an edit of a graph in a transaction that keeps other edits of the workflow away.
 * @throws DomainError `NOT_FOUND`, and what the edit throws
 */
export function editWorkflow<Result>(
  orm: Orm,
  projectId: string,
  id: string,
  edit: (em: Em, held: HeldWorkflow) => Promise<Result>,
): Promise<Result> {
  return orm.em.fork().transactional(async (em) => {
    const workflow = await findWorkflow(em, projectId, id, 'update');
    if (workflow === undefined) throw notFound('Workflow');
    return edit(em, await readSteps(em, workflow));
  });
}
