import type { WorkflowVariables } from '../../../../core/conditions/match-value.ts';
import type { JsonObject } from '../../../../core/json-value.ts';
import type { LockedExecution } from '../../../../db/statements/workflows/lock-execution.ts';

export function variablesOf({ event, context }: LockedExecution): WorkflowVariables {
  // as: both are read from jsonb columns.
  return { event: event as JsonObject, context: context as JsonObject };
}
