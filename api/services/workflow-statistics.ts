import type { TotalAccuracy } from '../../core/pagination/total-accuracy.ts';
import { type ExecutionStatus, executionStatuses } from '../../core/workflows/execution-status.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  countExecutions,
  countExecutionsOf,
  countSteps,
  executionsWithSteps,
} from '../../db/statements/workflows/count-executions.ts';
import { findWorkflow, readGraph } from './edit-workflow.ts';
import type { ProjectPlaces } from './project-places.ts';

export function createWorkflowStatisticsService(orm: Orm, heavyReads: ProjectPlaces) {
  return {
    countExecutions: (projectId: string, ids: readonly string[]) =>
      heavyReads.run(projectId, () => countExecutionsOf(orm.em.fork(), projectId, ids)),

    /** @throws DomainError `NOT_FOUND` */
    async read(projectId: string, id: string) {
      const em = projectEm(orm, projectId);
      const graph = await readGraph(em, await findWorkflow(em, id));
      return heavyReads.run(projectId, async () => {
        // One after the other: a place among the heavy reads stands for one connection.
        const { byStatus, total, totalAccuracy } = await countByStatus(projectEm(orm, projectId), id);
        const figuresOfSteps = await countSteps(projectEm(orm, projectId), id);
        const stepsOf = Math.min(total, executionsWithSteps);
        const counted = new Map(figuresOfSteps.map((figures) => [figures.stepId, figures]));
        const steps = graph.steps.map(({ id: stepId, type }) => {
          // No execution stays at the trigger: each has passed it.
          const entered = type === 'TRIGGER' ? stepsOf : 0;
          return counted.get(stepId) ?? { stepId, entered, completed: entered, failed: 0, waiting: 0 };
        });
        return { executions: { ...byStatus, total }, totalAccuracy, stepsOf, steps };
      });
    },
  };
}

async function countByStatus(em: Em, workflowId: string) {
  let total = 0;
  let totalAccuracy: TotalAccuracy = 'exact';
  const counts: [ExecutionStatus, number][] = [];
  for (const status of executionStatuses) {
    const counted = await countExecutions(em, { workflowId, status });
    counts.push([status, counted.total]);
    total += counted.total;
    if (counted.totalAccuracy !== 'exact') totalAccuracy = counted.totalAccuracy;
  }
  // as: every status has its entry.
  return { byStatus: Object.fromEntries(counts) as Record<ExecutionStatus, number>, total, totalAccuracy };
}
