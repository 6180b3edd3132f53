import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { nilId } from '../../core/nil-id.ts';
import { executionStatuses } from '../../core/workflows/execution-status.ts';
import { findStep, parseDraft } from '../../core/workflows/graph.ts';
import { findGraphFaults } from '../../core/workflows/graph-faults.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Workflow, WorkflowVersion } from '../../db/entities/workflow.ts';
import { WorkflowExecution, WorkflowStepRun } from '../../db/entities/workflow-execution.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { cancelActiveExecutions, cancelExecution } from '../../db/statements/workflows/cancel-executions.ts';
import { countExecutions, stepsCountedSince } from '../../db/statements/workflows/count-executions.ts';
import { startExecution } from '../../db/statements/workflows/start-execution.ts';
import type { ListExecutionsQuery, StartExecutionBody } from '../schemas/executions.ts';
import { readLargePage } from './cursor-page.ts';
import { findWorkflow, readGraph, requireNoFaults, toDraft } from './edit-workflow.ts';
import type { ProjectPlaces } from './project-places.ts';
import { readName } from './read-name.ts';

const maxStepRuns = 500;

export interface ExecutionOfContact {
  execution: WorkflowExecution;
  contactEmail: string | null;
}

export const findExecution = async (em: Em, workflowId: string, id: string) =>
  orNotFound(await em.findOne(WorkflowExecution, { id, workflowId }), 'Execution');

/** An execution keeps the id of its contact only. */
async function ofAddress(em: Em, email: string | undefined): Promise<{ contactId?: string }> {
  if (email === undefined) return {};
  const address = parseEmailAddress(email.trim()) ?? email;
  const contact = await em.findOne(Contact, { email: address }, { fields: ['id'] });
  return { contactId: contact?.id ?? nilId };
}

/** Only among the newest executions, because no index serves it. */
async function inStep(em: Em, workflowId: string, stepId: string | undefined) {
  if (stepId === undefined) return {};
  const since = await stepsCountedSince(em, workflowId);
  return { currentStepId: stepId, ...(since && { since }) };
}

async function ofContacts(em: Em, executions: WorkflowExecution[]): Promise<ExecutionOfContact[]> {
  const ids = executions.map(({ contactId }) => contactId);
  const emails = await em.getRepository(Contact).findEmails(ids);
  return executions.map((execution) => ({
    execution,
    contactEmail: emails.get(execution.contactId ?? '') ?? null,
  }));
}

export async function ofContact(em: Em, execution: WorkflowExecution): Promise<ExecutionOfContact> {
  const { contactId } = execution;
  const emails = await em.getRepository(Contact).findEmails([contactId]);
  return { execution, contactEmail: emails.get(contactId ?? '') ?? null };
}

/**
 * All methods throw DomainError `NOT_FOUND` for records that the project does not have; `list` throws `BAD_REQUEST`
 * for an unknown status and as `readLargePage`, `cancel` throws `CONFLICT` when the execution has ended.
 */
export function createWorkflowExecutionsService(orm: Orm, writes: ProjectPlaces, committed: () => void) {
  return {
    /**
     * Starts an execution of the newest version that can run, even if the workflow is disabled.
     * @throws DomainError `CONFLICT` when the re-entry rule forbids it, `BAD_REQUEST` when the workflow is disabled and
     * its graph can't run
     */
    async start(projectId: string, workflowId: string, body: StartExecutionBody) {
      const started = await projectEm(orm, projectId).transactional((em) => startFor(em, workflowId, body));
      committed();
      return started;
    },

    async list(projectId: string, workflowId: string, query: ListExecutionsQuery) {
      const em = projectEm(orm, projectId);
      await findWorkflow(em, workflowId);
      const status = readName(query.status, executionStatuses, 'execution status');
      const filter = {
        workflowId,
        ...(status && { status }),
        ...(await ofAddress(em, query.email)),
        ...(await inStep(em, workflowId, query.stepId)),
      };
      const found = await readLargePage({
        kind: 'executions',
        query,
        total: await countExecutions(em, filter),
        read: (window) => em.getRepository(WorkflowExecution).listPage(filter, window),
        positionOf: ({ startedAt, id }) => ({ at: startedAt, id }),
      });
      return { ...found, rows: await ofContacts(em, found.rows) };
    },

    /** With the latest 500 step runs, oldest first; the `step` of each is null once the workflow is deleted. */
    async get(projectId: string, workflowId: string, id: string) {
      const em = projectEm(orm, projectId);
      await findWorkflow(em, workflowId);
      const execution = await findExecution(em, workflowId, id);
      const latestFirst = { orderBy: { visit: 'desc' }, limit: maxStepRuns } as const;
      const runs = await em.find(WorkflowStepRun, { executionId: id }, latestFirst);
      const { version } = execution;
      const pinned = runs.length === 0 ? null : await em.findOne(WorkflowVersion, { workflowId, version });
      const graph = pinned && parseDraft(pinned.graph);
      const steps = runs
        .reverse()
        .map((run) => ({ run, step: (graph && findStep(graph, run.stepId)) ?? null }));
      return { ...(await ofContact(em, execution)), steps };
    },

    async cancel(projectId: string, workflowId: string, id: string) {
      const em = projectEm(orm, projectId);
      await findWorkflow(em, workflowId);
      if (await cancelExecution(em, workflowId, id)) return committed();
      const { status } = await findExecution(em, workflowId, id);
      throw new DomainError('CONFLICT', `The execution has ended: it is ${status}`, { details: { status } });
    },

    /** Takes a place among the writes for each batch: of all together, other projects' writes would wait for minutes. */
    async cancelAll(projectId: string, workflowId: string) {
      const em = projectEm(orm, projectId);
      const inTurn = writes.inBatches(projectId);
      await inTurn(() => findWorkflow(em, workflowId));
      const cancelled = await cancelActiveExecutions(em, workflowId, inTurn);
      if (cancelled > 0) committed();
      return cancelled;
    },
  };
}

async function startFor(
  em: Em,
  workflowId: string,
  { contactId, context }: StartExecutionBody,
): Promise<ExecutionOfContact> {
  const keep = { mode: 'for key share' } as const;
  const workflow = orNotFound(await lockRecord(em, Workflow, { id: workflowId }, keep), 'Workflow');
  orNotFound(await lockRecord(em, Contact, { id: contactId }, keep), 'Contact');
  if (!workflow.canStart()) requireNoFaults(findGraphFaults(toDraft(await readGraph(em, workflow))));
  const id = newId();
  const version = workflow.liveVersion ?? workflow.version;
  if (await startExecution(em, { id, workflowId, version, contactId, context: context ?? {} })) {
    return ofContact(em, await findExecution(em, workflowId, id));
  }
  const message = workflow.allowReentry
    ? 'An execution of this workflow is already active for the contact'
    : 'The contact has already entered this workflow, which does not allow re-entry';
  throw new DomainError('CONFLICT', message, { details: { workflowId, contactId } });
}
