import type { LockMode } from '@mikro-orm/core';
import { DomainError, orNotFound, validationFailed } from '../../core/errors.ts';
import { type DraftGraph, templateIdsOf } from '../../core/workflows/graph.ts';
import { findGraphFaults, type GraphFault } from '../../core/workflows/graph-faults.ts';
import { unlessAway } from '../../db/database-away.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import {
  Workflow,
  WorkflowStep,
  WorkflowTransition,
  WorkflowVersion,
  WorkflowVersionTemplate,
} from '../../db/entities/workflow.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { dropUnusedVersion } from '../../db/statements/workflows/drop-unused-version.ts';
import { measureSteps } from '../../db/statements/workflows/measure-steps.ts';
import { requireUnchanged } from './require-unchanged.ts';

/** Limit for the configs and positions of all steps, measured as Postgres serializes them. */
const maxStepBytes = 1024 * 1024;

export interface WorkflowGraph {
  workflow: Workflow;
  steps: WorkflowStep[];
  transitions: WorkflowTransition[];
}

export const findWorkflow = async (em: Em, id: string, lockMode?: LockMode) =>
  orNotFound(await em.findOne(Workflow, { id }, { lockMode }), 'Workflow');

export async function readGraph(em: Em, workflow: Workflow): Promise<WorkflowGraph> {
  const oldestFirst = { orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const steps = await em.find(WorkflowStep, { workflow }, oldestFirst);
  return { workflow, steps, transitions: await em.find(WorkflowTransition, { workflow }, oldestFirst) };
}

/**
 * Runs an edit in a transaction that locks the workflow against concurrent edits. Then deletes the version that it
 * replaced, unless executions use it.
 * @throws DomainError `NOT_FOUND`, `CONFLICT` when the workflow has changed since `seen`, and whatever `edit` throws
 */
export async function editWorkflow<Result>(
  orm: Orm,
  projectId: string,
  id: string,
  edit: (em: Em, graph: WorkflowGraph) => Promise<Result>,
  seen?: Date,
): Promise<Result> {
  const { result, replaced } = await projectEm(orm, projectId).transactional(async (em) => {
    const workflow = orNotFound(await lockRecord(em, Workflow, { id }), 'Workflow');
    requireUnchanged(workflow, seen);
    const { eventName, liveVersion } = workflow;
    const graph = await readGraph(em, workflow);
    const edited = await edit(em, graph);
    if (workflow.eventName !== eventName) graph.steps.find(({ type }) => type === 'TRIGGER')?.touch();
    return { result: edited, replaced: workflow.liveVersion === liveVersion ? null : liveVersion };
  });
  if (replaced != null) await unlessAway(dropUnusedVersion(orm.em.fork(), id, replaced));
  return result;
}

export function toDraft({ workflow, steps, transitions }: WorkflowGraph): DraftGraph {
  return {
    eventName: workflow.eventName,
    steps: steps.map(({ id, type, name, config }) => ({ id, type, name, config })),
    transitions: transitions.map(({ id, fromStepId, toStepId, branch = null }) => ({
      id,
      fromStepId,
      toStepId,
      branch,
    })),
  };
}

/** Completes an edit: increments the workflow's version and, if the graph can run, stores it for new executions. */
export function storeVersion(em: Em, workflow: Workflow, graph: DraftGraph): void {
  const canRun = findGraphFaults(graph).length === 0;
  workflow.raiseVersion(canRun);
  if (!canRun) return;
  const { id: workflowId, version } = workflow;
  em.create(WorkflowVersion, { workflowId, version, graph });
  for (const templateId of templateIdsOf(graph)) {
    em.create(WorkflowVersionTemplate, { templateId, workflowId, version });
  }
}

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
 * Flushes an added or changed step.
 * @throws DomainError `VALIDATION_ERROR` when all steps together exceed 1 MB
 */
export async function flushStep(em: Em, workflowId: string): Promise<void> {
  await em.flush();
  if ((await measureSteps(em, workflowId)) <= maxStepBytes) return;
  const message =
    'The steps of a workflow have at most 1 MB of JSON together: shorten one of them, or continue in a ' +
    'second workflow';
  throw validationFailed([{ field: 'config', message, code: 'too_big' }]);
}
