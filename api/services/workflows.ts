import { IsolationLevel, LockMode } from '@mikro-orm/core';
import { copyName } from '../../core/copy-name.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { findGraphFaults } from '../../core/workflows/graph-faults.ts';
import { unlessAway } from '../../db/database-away.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Workflow, WorkflowStep, WorkflowTransition } from '../../db/entities/workflow.ts';
import { EventListener } from '../../db/entities/workflow-execution.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';
import { hasActiveExecution } from '../../db/statements/workflows/cancel-executions.ts';
import { deleteExecutions } from '../../db/statements/workflows/delete-executions.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import {
  type CreateWorkflowBody,
  type ListWorkflowsQuery,
  maxWorkflowNameLength,
  type PatchWorkflowBody,
} from '../schemas/workflows.ts';
import {
  editWorkflow,
  findWorkflow,
  readGraph,
  requireNoFaults,
  storeVersion,
  toDraft,
  type WorkflowGraph,
} from './edit-workflow.ts';
import type { TemplateTurns } from './template-turns.ts';
import { syncListener } from './workflow-listener.ts';

/** Of a request, which holds a place among the writes of all projects meanwhile. */
const maxDeletedBatches = 2;

/** Methods that take an id throw DomainError `NOT_FOUND`; `remove` throws `CONFLICT` while executions are active. */
export function createWorkflowsService(orm: Orm, { inTurn }: Pick<TemplateTurns, 'inTurn'>) {
  return {
    list: (projectId: string, query: ListWorkflowsQuery) =>
      projectEm(orm, projectId).getRepository(Workflow).listPage(query.search, offsetWindow(query)),

    /** The check of a large graph takes a while, so it waits for its project's turn: throws as `inTurn`. */
    async get(projectId: string, id: string) {
      const graph = await readSnapshot(orm, projectId, id);
      return inTurn(projectId, () => withFaults(graph));
    },

    async create(projectId: string, { description, ...fields }: CreateWorkflowBody) {
      const created = await projectEm(orm, projectId).transactional(async (em) => {
        const workflow = em.create(Workflow, {
          ...fields,
          projectId,
          description: description || null,
          version: 0,
        });
        const trigger = em.create(WorkflowStep, { workflow, type: 'TRIGGER', name: 'Trigger', config: {} });
        const graph = { workflow, steps: [trigger], transitions: [] };
        storeVersion(em, workflow, toDraft(graph));
        return graph;
      });
      return withFaults(created);
    },

    /**
     * Changes the given fields. An enabled workflow listens to its event from the commit on; disabling it does not
     * affect running executions.
     * @throws DomainError `BAD_REQUEST` with every fault, when enabling a workflow whose graph can't run
     */
    patch: (projectId: string, id: string, body: PatchWorkflowBody, seen?: Date) => {
      const change = async (em: Em, graph: WorkflowGraph) => {
        const { workflow } = graph;
        const { enabled, eventName } = workflow;
        const description = body.description === '' ? null : body.description;
        em.assign(workflow, { ...body, description }, { ignoreUndefined: true });
        if (workflow.enabled && !enabled) requireNoFaults(findGraphFaults(toDraft(graph)));
        await syncListener(em, workflow, eventName);
        if (workflow.eventName !== eventName) storeVersion(em, workflow, toDraft(graph));
        return workflow;
      };
      return editWorkflow(orm, projectId, id, change, seen);
    },

    /** The check does not wait for a turn: that would hold the write's place among those of all projects. */
    duplicate: async (projectId: string, id: string) =>
      withFaults(await duplicateWorkflow(orm, projectId, id)),

    remove: (projectId: string, id: string) => removeWorkflow(orm, projectId, id),
  };
}

/** One snapshot, so that a concurrent edit is visible entirely or not at all. */
function readSnapshot(orm: Orm, projectId: string, id: string): Promise<WorkflowGraph> {
  return projectEm(orm, projectId).transactional(async (em) => readGraph(em, await findWorkflow(em, id)), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  });
}

const withFaults = (graph: WorkflowGraph) => ({ ...graph, faults: findGraphFaults(toDraft(graph)) });

export type WorkflowWithFaults = ReturnType<typeof withFaults>;

async function removeWorkflow(orm: Orm, projectId: string, id: string): Promise<void> {
  await projectEm(orm, projectId).transactional(async (em) => {
    const workflow = await findWorkflow(em, id, LockMode.PESSIMISTIC_WRITE);
    if (await hasActiveExecution(em, id)) {
      throw new DomainError('CONFLICT', 'The workflow has active executions', {
        suggestion: 'Wait for them to end, or cancel them with POST /workflows/{id}/executions/cancel-all.',
      });
    }
    await em.nativeDelete(WorkflowStep, { workflow });
    await em.nativeDelete(WorkflowTransition, { workflow });
    await em.nativeDelete(EventListener, { workflowId: id });
    em.remove(workflow);
  });
  // The workflow is gone; a sweep deletes what is left of it.
  await unlessAway(deleteExecutions(projectEm(orm, projectId), id, maxDeletedBatches));
}

/**
 * Copies a workflow with its graph; the copy is disabled. Locking the original prevents deletion of its templates; the
 * reference lock prevents deletion of its segments.
 */
function duplicateWorkflow(orm: Orm, projectId: string, id: string): Promise<WorkflowGraph> {
  return editWorkflow(orm, projectId, id, async (em, { workflow: original, steps, transitions }) => {
    await lockSegmentReferences(em, projectId);
    const { description, eventName, allowReentry } = original;
    const copiedName = copyName(original.name, maxWorkflowNameLength);
    const fields = { projectId, name: copiedName, description, eventName, allowReentry, version: 0 };
    const workflow = em.create(Workflow, fields);
    const ids = new Map(steps.map((step) => [step.id, newId()]));
    const copyOf = (stepId: string) => ids.get(stepId) ?? stepId;
    const copies = {
      workflow,
      steps: steps.map(({ id: from, type, name, position, config, templateId }) =>
        em.create(WorkflowStep, { id: copyOf(from), workflow, type, name, position, config, templateId }),
      ),
      transitions: transitions.map(({ fromStepId: from, toStepId: to, branch }) =>
        em.create(WorkflowTransition, { workflow, fromStepId: copyOf(from), toStepId: copyOf(to), branch }),
      ),
    };
    storeVersion(em, workflow, toDraft(copies));
    return copies;
  });
}
