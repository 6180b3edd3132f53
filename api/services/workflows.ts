import { IsolationLevel } from '@mikro-orm/core';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { WorkflowRow } from '../../db/entities/workflow.ts';
import type { Orm } from '../../db/orm.ts';
import { dropExecutions } from '../../db/repositories/workflows/cancel-executions.ts';
import { hasActiveExecution } from '../../db/repositories/workflows/workflow-executions.ts';
import { insertStep } from '../../db/repositories/workflows/workflow-graphs.ts';
import {
  countWorkflows,
  deleteWorkflow,
  findWorkflow,
  insertWorkflow,
  listWorkflows,
  updateWorkflow,
} from '../../db/repositories/workflows/workflows.ts';
import type { WorkflowWithGraph } from '../presenters/workflow.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import type { CreateWorkflowBody, ListWorkflowsQuery, PatchWorkflowBody } from '../schemas/workflows.ts';
import {
  editWorkflow,
  findFaults,
  finishEdit,
  readWorkflowGraph,
  requireNoFaults,
  requireWorkflow,
} from './workflow-records.ts';

/** Batches of old executions that the deletion of a workflow takes along; a sweep takes the rest. */
const dropBatchesPerCall = 20;

export interface WorkflowsService {
  list(projectId: string, query: ListWorkflowsQuery): Promise<{ workflows: WorkflowRow[]; total: number }>;
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<WorkflowWithGraph>;
  /** A workflow that is off, with a TRIGGER step and nothing else. */
  create(projectId: string, body: CreateWorkflowBody): Promise<WorkflowRow>;
  /**
   * Changes what is named. Switched on, a workflow listens to its event from the commit on; switched off, what runs
   * goes on to its end.
   *
   * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when it is to be switched on and its graph can't run, with every
   * reason
   */
  patch(projectId: string, id: string, body: PatchWorkflowBody): Promise<WorkflowRow>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` while executions are under way */
  remove(projectId: string, id: string): Promise<void>;
}

/** Automations: their records; the graph is edited by `workflow-graphs`. */
export function createWorkflowsService(orm: Orm): WorkflowsService {
  return {
    async list(projectId, query) {
      const search = query.search || undefined;
      const [workflows, total] = await Promise.all([
        listWorkflows(orm.em.fork(), projectId, search, offsetWindow(query)),
        countWorkflows(orm.em.fork(), projectId, search),
      ]);
      return { workflows, total };
    },

    // In one transaction with one snapshot, so that no edit shows by half.
    get: (projectId, id) =>
      orm.em
        .fork()
        .transactional(async (em) => readWorkflowGraph(em, await requireWorkflow(em, projectId, id)), {
          isolationLevel: IsolationLevel.REPEATABLE_READ,
          readOnly: true,
        }),

    create: (projectId, { name, description, eventName, allowReentry }) =>
      orm.em.fork().transactional(async (em) => {
        const id = newId();
        const fields = { id, projectId, name, description: description || null, eventName, allowReentry };
        await insertWorkflow(em, fields);
        const trigger = { id: newId(), type: 'TRIGGER' as const, name: 'Trigger' };
        await insertStep(em, id, { ...trigger, position: null, config: {}, templateId: null });
        await finishEdit(em, fields);
        return requireWorkflow(em, projectId, id);
      }),

    patch: (projectId, id, body) =>
      editWorkflow(orm, projectId, id, async (em, held) => {
        const { workflow } = held;
        const fields = {
          name: body.name ?? workflow.name,
          description: body.description === undefined ? workflow.description : body.description || null,
          enabled: body.enabled ?? workflow.enabled,
          eventName: body.eventName ?? workflow.eventName,
          allowReentry: body.allowReentry ?? workflow.allowReentry,
        };
        if (fields.enabled && !workflow.enabled) requireNoFaults(findFaults(held));
        await updateWorkflow(em, id, fields);
        if (fields.eventName !== workflow.eventName)
          await finishEdit(em, { id, eventName: fields.eventName });
        return requireWorkflow(em, projectId, id);
      }),

    async remove(projectId, id) {
      await orm.em.fork().transactional(async (em) => {
        if ((await findWorkflow(em, projectId, id, 'delete')) === undefined) throw notFound('Workflow');
        if (await hasActiveExecution(em, id)) {
          throw new DomainError('CONFLICT', 'The workflow has active executions', {
            suggestion:
              'Wait for them to end, or cancel them with POST /workflows/{id}/executions/cancel-all.',
          });
        }
        await deleteWorkflow(em, id);
      });
      await dropExecutions(orm.em.fork(), id, dropBatchesPerCall);
    },
  };
}
