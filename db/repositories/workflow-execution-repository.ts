import { EntityRepository } from '@mikro-orm/postgresql';
import type { ExecutionStatus } from '../../core/workflows/execution-status.ts';
import type { WorkflowExecution } from '../entities/workflow-execution.ts';
import type { ListWindow } from '../list-window.ts';

export class WorkflowExecutionRepository extends EntityRepository<WorkflowExecution> {
  listPage(
    workflowId: string,
    status: ExecutionStatus | undefined,
    { limit, offset, after }: ListWindow,
  ): Promise<WorkflowExecution[]> {
    const position = after && {
      // Bounds the index scan, which the `$or` below does not.
      startedAt: { $lte: new Date(after.at) },
      $or: [{ startedAt: { $lt: new Date(after.at) } }, { id: { $lt: after.id } }],
    };
    return this.find(
      { workflowId, ...(status && { status }), ...position },
      { orderBy: { startedAt: 'desc', id: 'desc' }, limit, offset },
    );
  }
}
