import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { findStep, parseGraph } from '../../core/workflows/graph.ts';
import type { ExecutionRow, ExecutionStatus } from '../../db/entities/workflow.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  cancelActiveExecutions,
  cancelExecution,
} from '../../db/repositories/workflows/cancel-executions.ts';
import {
  countExecutions,
  findExecution,
  holdContact,
  listExecutions,
  listStepRuns,
  startExecution,
} from '../../db/repositories/workflows/workflow-executions.ts';
import { readGraph } from '../../db/repositories/workflows/workflow-graphs.ts';
import { findWorkflow } from '../../db/repositories/workflows/workflows.ts';
import { type ExecutionWithSteps, executionStatuses } from '../presenters/execution.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import type { ListExecutionsQuery, StartExecutionBody } from '../schemas/workflows.ts';
import { readWorkflowGraph, requireNoFaults, requireWorkflow } from './workflow-records.ts';

function readStatus(text: string | undefined): ExecutionStatus | undefined {
  if (text === undefined) return undefined;
  const status = executionStatuses.find((one) => one === text);
  if (status !== undefined) return status;
  throw new DomainError('BAD_REQUEST', `There is no execution status ${JSON.stringify(text)}`, {
    suggestion: `Use one of ${executionStatuses.join(', ')}.`,
  });
}

/** Step runs that an execution shows. */
const maxStepRuns = 500;

/** One contact's ways through workflows. All throw DomainError `NOT_FOUND` for what is not the project's. */
export interface WorkflowExecutionsService {
  /**
   * Starts an execution by hand, of an enabled workflow or of one that is off: the newest version that can run.
   * @throws DomainError `CONFLICT` when the rule of re-entry forbids it, `BAD_REQUEST` for the graph of a workflow that
   * is off and can't run
   */
  start(projectId: string, workflowId: string, body: StartExecutionBody): Promise<ExecutionRow>;
  /** @throws DomainError `BAD_REQUEST` for an unknown status */
  list(
    projectId: string,
    workflowId: string,
    query: ListExecutionsQuery,
  ): Promise<{ executions: ExecutionRow[]; total: number }>;
  get(projectId: string, workflowId: string, id: string): Promise<ExecutionWithSteps>;
  /** @throws DomainError `CONFLICT` when it has ended */
  cancel(projectId: string, workflowId: string, id: string): Promise<void>;
  /** @returns how many were under way */
  cancelAll(projectId: string, workflowId: string): Promise<number>;
}

/** @param committed wakes the relay and the journal */
export function createWorkflowExecutionsService(orm: Orm, committed: () => void): WorkflowExecutionsService {
  const find = async (em: Em, workflowId: string, id: string) => {
    const execution = await findExecution(em, workflowId, id);
    if (execution === undefined) throw notFound('Execution');
    return execution;
  };

  return {
    async start(projectId, workflowId, { contactId, context }) {
      const started = await orm.em.fork().transactional(async (em) => {
        const workflow = await findWorkflow(em, projectId, workflowId, 'keep');
        if (workflow === undefined) throw notFound('Workflow');
        if (!(await holdContact(em, projectId, contactId))) throw notFound('Contact');
        const { version, enabled } = workflow;
        const liveVersion = workflow.liveVersion ?? null;
        if (liveVersion === null || (!enabled && liveVersion !== version)) {
          requireNoFaults((await readWorkflowGraph(em, workflow)).faults);
        }
        const execution = await startExecution(em, {
          id: newId(),
          workflowId,
          version: liveVersion ?? version,
          contactId,
          context: context ?? {},
        });
        if (execution !== undefined) return execution;
        const message = workflow.allowReentry
          ? 'An execution of this workflow is under way for the contact'
          : 'The contact has entered this workflow before, and it does not allow re-entry';
        throw new DomainError('CONFLICT', message, { details: { workflowId, contactId } });
      });
      committed();
      return started;
    },

    async list(projectId, workflowId, query) {
      await requireWorkflow(orm.em.fork(), projectId, workflowId);
      const status = readStatus(query.status);
      const [executions, total] = await Promise.all([
        listExecutions(orm.em.fork(), workflowId, status, offsetWindow(query)),
        countExecutions(orm.em.fork(), workflowId, status),
      ]);
      return { executions, total };
    },

    async get(projectId, workflowId, id) {
      const em = orm.em.fork();
      await requireWorkflow(em, projectId, workflowId);
      const execution = await find(em, workflowId, id);
      const runs = await listStepRuns(em, id, maxStepRuns);
      const stored = runs.length === 0 ? undefined : await readGraph(em, workflowId, execution.version);
      const graph = stored === undefined ? undefined : parseGraph(stored);
      const steps = runs.map((run) => {
        const step = graph && findStep(graph, run.stepId);
        return { ...run, type: step?.type ?? null, name: step?.name ?? null };
      });
      return { execution, steps };
    },

    async cancel(projectId, workflowId, id) {
      const em = orm.em.fork();
      await requireWorkflow(em, projectId, workflowId);
      if (await cancelExecution(em, workflowId, id)) return committed();
      const { status } = await find(em, workflowId, id);
      throw new DomainError('CONFLICT', `The execution has ended: it is ${status}`, { details: { status } });
    },

    async cancelAll(projectId, workflowId) {
      const em = orm.em.fork();
      await requireWorkflow(em, projectId, workflowId);
      const cancelled = await cancelActiveExecutions(em, workflowId);
      if (cancelled > 0) committed();
      return cancelled;
    },
  };
}
