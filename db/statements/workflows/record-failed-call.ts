import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Records that a step's call failed without a usable answer, so that it can be retried. A compare-and-set, because a
 * cancel may have ended the step run.
 */
export async function recordFailedCall(em: Em, executionId: string, visit: number): Promise<void> {
  await execute(
    em,
    `update workflow_step_runs set called_at = null
     where execution_id = $1 and visit = $2 and completed_at is null`,
    [executionId, visit],
  );
}
