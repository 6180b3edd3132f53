import type { z } from 'zod';
import { workflowIds } from '../../temporal/contracts/workflow-ids.ts';
import {
  executionSchema,
  type executionWithStepsSchema,
  stepRunSchema,
} from '../schemas/executions.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import type { ExecutionOfContact, ExecutionWithSteps } from '../services/workflow-executions.ts';
import { present } from './present.ts';

export function presentExecution({ execution, contactEmail }: ExecutionOfContact, runs: TemporalRuns) {
  const { id, workflowId, contactId } = execution;
  const run = runs(contactId ? workflowIds.workflowExecution(workflowId, contactId, id) : null);
  return present(executionSchema, { ...execution, contactEmail, ...run });
}

export function presentExecutionWithSteps(
  found: ExecutionWithSteps,
  runs: TemporalRuns,
): z.output<typeof executionWithStepsSchema> {
  return {
    ...presentExecution(found, runs),
    steps: found.steps.map(({ run, step }) =>
      present(stepRunSchema, { ...run, type: step?.type ?? null, name: step?.name ?? null }),
    ),
  };
}
