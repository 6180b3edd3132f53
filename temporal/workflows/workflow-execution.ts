import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  rootCause,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  executionChangedSignal,
  type StepAnswer,
  type WebhookActivities,
  type WorkflowExecutionInput,
  type WorkflowStepActivities,
} from '../contracts/workflow-execution.ts';

const localOptions = {
  startToCloseTimeout: '30 seconds',
  // Longer pauses between tries are timers, so that no worker keeps a task open for them.
  localRetryThreshold: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
const step = proxyLocalActivities<WorkflowStepActivities>(localOptions);

/** The call itself takes ten seconds at most; a worker that is gone is missed sooner than that half minute. */
const callOptions = {
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 3, maximumAttempts: 5 },
} as const;
const { callWebhook } = proxyActivities<WebhookActivities>(callOptions);

/** Events of a run; a loop goes on in a new one. */
const longestHistory = 500;
/** Longest wait of one timer; a longer one begins anew. */
const longestTimerMs = 300 * 24 * 60 * 60 * 1000;

const changed = defineSignal(executionChangedSignal);

/**
 * One contact's way through a graph. What a step does, and what follows it, is decided in the database; the workflow
 * keeps the time, makes the calls, and looks again whenever it is told that something has changed.
 */
export async function workflowExecution(input: WorkflowExecutionInput): Promise<string> {
  const { executionId } = input;
  const news = { waits: false };
  setHandler(changed, () => {
    news.waits = true;
  });
  const run = (visit: number, label: string) => {
    news.waits = false;
    return step.runStep.executeWithOptions({ ...localOptions, summary: label }, [{ executionId, visit }]);
  };
  let answer = await run(input.visit ?? 1, input.label ?? 'start');
  while (answer.follow !== 'end') {
    const { visit, label } = answer;
    await follow(answer);
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (continueAsNewSuggested || historyLength > longestHistory) {
      await continueAsNew<typeof workflowExecution>({ executionId, visit, label });
    }
    answer = await run(visit, label);
  }
  setCurrentDetails(`Ended: **${answer.status}**`);
  return answer.status;

  async function follow(next: Exclude<StepAnswer, { follow: 'end' }>): Promise<void> {
    const { visit, label } = next;
    switch (next.follow) {
      case 'step':
        return;
      case 'sleep':
      case 'wait': {
        setCurrentDetails(
          `**${label}**${next.ms === null ? '' : `, until ${minuteAfter(next.ms)} UTC at the latest`}`,
        );
        if (next.ms === null) await condition(() => news.waits);
        else await condition(() => news.waits, Math.min(next.ms, longestTimerMs));
        return;
      }
      case 'call':
        setCurrentDetails(`**${label}**`);
        try {
          await callWebhook.executeWithOptions({ ...callOptions, summary: label }, [{ executionId, visit }]);
        } catch (error) {
          if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
          // Anything else, such as a database that is away, says nothing of the call: look again.
          if (!isOfTheCall(error.cause) && patched('call-not-made')) return;
          await step.failStep({ executionId, visit, reason: rootCause(error) ?? 'the call did not succeed' });
        }
    }
  }
}

/** Types of failures that are the call's own, if they have one. */
const callFailures = ['failed', 'answered', 'refused'];

function isOfTheCall(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && (!cause.type || callFailures.includes(cause.type));
}

const minuteAfter = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16).replace('T', ' ');
