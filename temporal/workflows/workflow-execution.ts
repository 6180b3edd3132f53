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
} from '@temporalio/workflow';
import {
  executionChangedSignal,
  type StepAnswer,
  type WebhookActivities,
  type WorkflowExecutionInput,
  type WorkflowStepActivities,
} from '../contracts/workflow-execution.ts';
import { isHistoryLong } from './history-limits.ts';

const localOptions = {
  startToCloseTimeout: '30 seconds',
  // Longer retry delays become timers, so that no worker holds a task open.
  localRetryThreshold: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
const step = proxyLocalActivities<WorkflowStepActivities>(localOptions);

/** The call takes at most ten seconds; the heartbeat detects a dead worker before the 30-second timeout. */
const callOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 3, maximumAttempts: 5 },
} as const;
const { callWebhook } = proxyActivities<WebhookActivities>(callOptions);

/** How often the wait for the project's turn is doubled: thousands of calls coming back each time would take all CPU. */
const mostDoublings = 6;

const longestTimerMs = 300 * 24 * 60 * 60 * 1000;

const changed = defineSignal(executionChangedSignal);

/**
 * One contact's path through a workflow graph. The database decides what a step does and what follows; the workflow
 * keeps timers, makes the calls, and reads the state again after each signal.
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
  let call = { visit: input.visit ?? 1, failedAttempts: input.failedAttempts ?? 0, waits: 0 };
  let answer = await run(input.visit ?? 1, input.label ?? 'start');
  while (answer.follow !== 'end') {
    const { visit, label } = answer;
    await follow(answer);
    if (isHistoryLong('workflowExecution')) {
      const failedAttempts = call.visit === visit ? call.failedAttempts : 0;
      await continueAsNew<typeof workflowExecution>({ executionId, visit, label, failedAttempts });
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
        if (call.visit !== visit) call = { visit, failedAttempts: 0, waits: 0 };
        try {
          const maximumAttempts = callOptions.retry.maximumAttempts - call.failedAttempts;
          const retry = { ...callOptions.retry, maximumAttempts };
          const later = await callWebhook.executeWithOptions({ ...callOptions, retry, summary: label }, [
            { executionId, visit },
          ]);
          if (!later || !patched('call-put-off')) return;
          call.failedAttempts += later.failedAttempts;
          const waitMs = later.retryInMs * 2 ** Math.min(call.waits, mostDoublings);
          call.waits += 1;
          await condition(() => news.waits, waitMs);
        } catch (error) {
          if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
          // Any other failure, such as an unavailable database, says nothing about the call: read the state again.
          if (!isOfTheCall(error.cause) && patched('call-not-made')) return;
          await step.failStep({ executionId, visit, reason: rootCause(error) ?? 'the call did not succeed' });
        }
    }
  }
}

const callFailures = ['failed', 'answered', 'refused'];

function isOfTheCall(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && (!cause.type || callFailures.includes(cause.type));
}

const minuteAfter = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16).replace('T', ' ');
