import { DomainError } from '../../core/errors.ts';
import { activeStatuses } from '../../core/workflows/execution-status.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { WorkflowExecution } from '../../db/entities/workflow-execution.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { retryExecution, retryFailedExecutions } from '../../db/statements/workflows/retry-executions.ts';
import type { RetryFailedBody } from '../schemas/executions.ts';
import { findWorkflow } from './edit-workflow.ts';
import type { ProjectPlaces } from './project-places.ts';
import { findExecution, ofContact } from './workflow-executions.ts';

/** Both methods throw DomainError `NOT_FOUND` for records that the project does not have. */
export function createExecutionRetriesService(orm: Orm, writes: ProjectPlaces, committed: () => void) {
  return {
    /** @throws DomainError `CONFLICT` when it can't continue */
    async retry(projectId: string, workflowId: string, id: string) {
      const em = projectEm(orm, projectId);
      await findWorkflow(em, workflowId);
      const isRetried = await retryExecution(em, workflowId, id);
      const execution = await findExecution(em, workflowId, id);
      if (!isRetried) throw await cannotContinue(em, execution);
      committed();
      return ofContact(em, execution);
    },

    /** Takes a place among the writes for each batch, as `cancelAll`. */
    async retryFailed(projectId: string, workflowId: string, body: RetryFailedBody) {
      const em = projectEm(orm, projectId);
      const inTurn = writes.inBatches(projectId);
      await inTurn(() => findWorkflow(em, workflowId));
      const retries = await retryFailedExecutions(em, workflowId, body?.failedSince ?? null, inTurn);
      if (retries.retried > 0) committed();
      return retries;
    },
  };
}

async function cannotContinue(
  em: Em,
  { status, workflowId, contactId }: WorkflowExecution,
): Promise<DomainError> {
  if (status !== 'FAILED') {
    const message = `The execution has not failed: it is ${status}`;
    return new DomainError('CONFLICT', message, { details: { status } });
  }
  const active = { workflowId, contactId, status: { $in: [...activeStatuses] } };
  if (contactId !== null && (await em.count(WorkflowExecution, active)) > 0) {
    return new DomainError('CONFLICT', 'Another execution of this workflow is active for the contact', {
      details: { workflowId, contactId },
    });
  }
  return new DomainError('CONFLICT', 'The execution can’t continue where it failed', {
    suggestion:
      'Its contact or its step was deleted, or what failed was not a step that can be repeated. Start a new execution ' +
      'for the contact if the workflow allows re-entry.',
  });
}
