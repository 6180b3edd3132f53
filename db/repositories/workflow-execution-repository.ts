import { EntityRepository } from '@mikro-orm/postgresql';
import type { ExecutionStatus } from '../../core/workflows/execution-status.ts';
import type { WorkflowExecution } from '../entities/workflow-execution.ts';

export class WorkflowExecutionRepository extends EntityRepository<WorkflowExecution> {
  listPage(
    workflowId: string,
    status: ExecutionStatus | undefined,
    window: { limit: number; offset: number },
  ): Promise<[WorkflowExecution[], number]> {
    return this.findAndCount(
      { workflowId, ...(status && { status }) },
      { orderBy: { startedAt: 'desc', id: 'desc' }, ...window },
    );
  }
}
