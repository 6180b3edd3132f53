import type { z } from 'zod';
import { workflowIds } from '../../temporal/contracts/workflow-ids.ts';
import type { executionSchema, executionWithStepsSchema } from '../schemas/answers/execution.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import type { ExecutionOfContact, ExecutionWithSteps } from '../services/workflow-executions.ts';

export function presentExecution(
  { execution, contactEmail }: ExecutionOfContact,
  runs: TemporalRuns,
): z.output<typeof executionSchema> {
  const { id, workflowId, contactId } = execution;
  return {
    id: execution.id,
    workflowId: execution.workflowId,
    version: execution.version,
    contactId: execution.contactId ?? null,
    contactEmail,
    status: execution.status,
    currentStepId: execution.currentStepId ?? null,
    context: execution.context,
    event: execution.event,
    resumeAt: execution.resumeAt?.toISOString() ?? null,
    exitReason: execution.exitReason ?? null,
    error: execution.error ?? null,
    startedAt: execution.startedAt.toISOString(),
    completedAt: execution.completedAt?.toISOString() ?? null,
    ...runs(contactId ? workflowIds.workflowExecution(workflowId, contactId, id) : null),
  };
}

export function presentExecutionWithSteps(
  found: ExecutionWithSteps,
  runs: TemporalRuns,
): z.output<typeof executionWithStepsSchema> {
  return {
    ...presentExecution(found, runs),
    steps: found.steps.map(({ run, step }) => ({
      visit: run.visit,
      stepId: run.stepId,
      type: step?.type ?? null,
      name: step?.name ?? null,
      branch: run.branch ?? null,
      output: run.output ?? null,
      error: run.error ?? null,
      startedAt: run.startedAt.toISOString(),
      completedAt: run.completedAt?.toISOString() ?? null,
    })),
  };
}
