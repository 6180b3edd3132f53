import { Context } from '@temporalio/activity';
import type { Orm } from '../../../db/orm.ts';
import { endExecution } from '../../../db/statements/workflows/end-execution.ts';
import { lockExecution } from '../../../db/statements/workflows/lock-execution.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';
import type { WebhookActivities, WorkflowStepActivities } from '../../contracts/workflow-execution.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { callWebhook, type WebhookCaller } from './call-webhook.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';
import type { StepEffects } from './steps/walk.ts';

export interface WorkflowActivityDependencies {
  orm: Orm;
  webhooks: WebhookCaller;
  metrics: Pick<ProductMetrics, 'countEndless'>;
  journaled: () => void;
  wakeRelay: (inMs: number) => void;
}

export function createWorkflowActivities({
  orm,
  webhooks,
  metrics,
  journaled,
  wakeRelay,
}: WorkflowActivityDependencies): WorkflowStepActivities & WebhookActivities {
  const graphs = createGraphCache();
  return {
    async runStep(input) {
      const effects: StepEffects = { journal: false, commandsInMs: undefined };
      const answer = await orm.em.fork().transactional((em) => runStep(em, graphs, input, effects));
      if (effects.journal) journaled();
      // An idle round of the relay costs more than most steps.
      if (effects.commandsInMs !== undefined) wakeRelay(effects.commandsInMs);
      if (effects.endless !== undefined) metrics.countEndless(effects.endless);
      if (answer.follow !== 'call' || effects.call === undefined) return answer;
      const { projectId, temporalId, since } = effects.call;
      const ms = webhooks.limit.putOffIfFull(projectId, temporalId, since);
      return ms === undefined ? answer : { ...answer, follow: 'wait', ms };
    },
    async failStep({ executionId, visit, reason }) {
      await orm.em.fork().transactional(async (em) => {
        const execution = await lockExecution(em, executionId);
        if (execution?.visit !== visit || execution.completedAt !== null) return;
        await endExecution(em, executionId, { status: 'FAILED', error: reason.slice(0, 500) });
      });
      journaled();
    },
    async callWebhook(input) {
      const { attempt } = Context.current().info;
      const later = await withHeartbeat(() => callWebhook(orm, graphs, webhooks, input, attempt));
      return later && { ...later, failedAttempts: attempt - 1 };
    },
  };
}
