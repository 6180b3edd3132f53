import { type ExecutionStatus, executionStatuses } from '../../core/workflows/execution-status.ts';
import type { Orm } from '../../db/orm.ts';
import {
  countExecutions,
  countSteps,
  executionsWithSteps,
  type StepFigures,
} from '../../db/statements/workflows/count-steps.ts';
import { findWorkflow, readGraph } from './edit-workflow.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface WorkflowStatistics {
  executions: Record<ExecutionStatus, number> & { total: number };
  /** Executions that `steps` is about: the newest. */
  stepsOf: number;
  /** Of the steps of the graph as it is now, in its order. */
  steps: StepFigures[];
}

export interface WorkflowStatisticsService {
  /** @throws DomainError `NOT_FOUND` */
  read(projectId: string, id: string): Promise<WorkflowStatistics>;
}

export function createWorkflowStatisticsService(orm: Orm, heavyReads: HeavyReads): WorkflowStatisticsService {
  return {
    async read(projectId, id) {
      const em = orm.em.fork();
      const graph = await readGraph(em, await findWorkflow(em, projectId, id));
      return heavyReads.run(projectId, async () => {
        const byStatus = await countExecutions(em, id);
        const total = byStatus.values().reduce((sum, executions) => sum + executions, 0);
        const stepsOf = Math.min(total, executionsWithSteps);
        const counted = new Map((await countSteps(em, id)).map((figures) => [figures.stepId, figures]));
        const steps = graph.steps.map(({ id: stepId, type }) => {
          // No execution stays at the trigger: each has passed it.
          const entered = type === 'TRIGGER' ? stepsOf : 0;
          return counted.get(stepId) ?? { stepId, entered, completed: entered, failed: 0, waiting: 0 };
        });
        return { executions: { ...withZeros(byStatus), total }, stepsOf, steps };
      });
    },
  };
}

function withZeros(byStatus: ReadonlyMap<ExecutionStatus, number>): Record<ExecutionStatus, number> {
  const counts = executionStatuses.map((status) => [status, byStatus.get(status) ?? 0]);
  // as: every status has its entry.
  return Object.fromEntries(counts) as Record<ExecutionStatus, number>;
}
