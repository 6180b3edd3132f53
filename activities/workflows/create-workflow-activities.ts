import type { Endless } from '../../core/workflows/endless.ts';
import type { Orm } from '../../db/orm.ts';
import { endExecution, holdExecution } from '../../db/repositories/workflows/execution-steps.ts';
import type { SpanFacts } from '../../runtime/tracing.ts';
import type {
  WebhookActivities,
  WorkflowStepActivities,
} from '../../temporal/contracts/workflow-execution.ts';
import { callWebhook, type WebhookCaller } from './call-webhook.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';
import type { StepTraces } from './step-traces.ts';

export interface WorkflowActivityParts {
  traced: <R>(facts: SpanFacts, run: () => Promise<R>) => Promise<R>;
  /** Wakes the journal. */
  journaled: () => void;
  /** Wakes the relay in so many milliseconds. */
  wakeRelay: (inMs: number) => void;
  /** Runs an activity that Temporal shall miss soon when its worker is gone. */
  withHeartbeat: <R>(run: () => Promise<R>) => Promise<R>;
  caller: WebhookCaller;
  /** Counts executions that were ended because they would have gone on without an end, for the metrics. */
  countEndless: (kind: Endless['kind']) => void;
}

/** The activities of executions. */
export function createWorkflowActivities(
  orm: Orm,
  { traced, journaled, wakeRelay, withHeartbeat, caller, countEndless }: WorkflowActivityParts,
): WorkflowStepActivities & WebhookActivities {
  const graphs = createGraphCache();
  const factsOf = (executionId: string) => ({ 'posthaste.execution.id': executionId });
  return {
    runStep: (input) =>
      traced(factsOf(input.executionId), async () => {
        const traces: StepTraces = { journal: false, commandsInMs: undefined };
        const answer = await orm.em.fork().transactional((em) => runStep(em, graphs, input, traces));
        if (traces.journal) journaled();
        // A relay that looks in vain costs more than most steps.
        if (traces.commandsInMs !== undefined) wakeRelay(traces.commandsInMs);
        if (traces.endless !== undefined) countEndless(traces.endless);
        return answer;
      }),
    failStep: ({ executionId, visit, reason }) =>
      traced(factsOf(executionId), async () => {
        await orm.em.fork().transactional(async (em) => {
          const execution = await holdExecution(em, executionId);
          if (execution?.visit !== visit || execution.completedAt !== null) return;
          await endExecution(em, executionId, { status: 'FAILED', error: reason.slice(0, 500) });
        });
        journaled();
      }),
    callWebhook: (input) =>
      traced(factsOf(input.executionId), () => withHeartbeat(() => callWebhook(orm, graphs, caller, input))),
  };
}
