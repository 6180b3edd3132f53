import type { ExecutionStatus } from '../../../core/workflows/execution-status.ts';
import { countOrEstimate, type Total } from '../../count-or-estimate.ts';
import type { Em } from '../../orm.ts';

/** Executions of a workflow with any status or a given one, from an index alone. */
export function countExecutions(em: Em, workflowId: string, status?: ExecutionStatus): Promise<Total> {
  const from = 'from workflow_executions where workflow_id = $1';
  return status === undefined
    ? countOrEstimate(em, from, [workflowId])
    : countOrEstimate(em, `${from} and status = $2`, [workflowId, status]);
}
