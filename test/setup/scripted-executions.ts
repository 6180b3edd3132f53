import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunStepInput, StepAnswer } from '../../temporal/contracts/workflow-execution.ts';
import { executionChangedSignal } from '../../temporal/contracts/workflow-execution.ts';
import { eventually } from './eventually.ts';
import { afterFailures, type ScriptedShape, signalOwnWorkflow } from './scripted-shapes.ts';

const dayMs = 86_400_000;
const next = (visit: number): StepAnswer => ({ follow: 'step', visit, label: `step ${visit}` });
const call = (visit: number): StepAnswer => ({ follow: 'call', visit, label: 'WEBHOOK' });
const end = (status: string): StepAnswer => ({ follow: 'end', status });

function inTurn(...answers: StepAnswer[]): () => Promise<StepAnswer> {
  const left = [...answers];
  return async () => left.shift() ?? end('COMPLETED');
}

async function signalInPause(handle: WorkflowHandle): Promise<void> {
  await eventually(
    () => handle.fetchHistory(),
    ({ events }) => events?.some((event) => event.timerStartedEventAttributes != null) ?? false,
  );
  await handle.signal(executionChangedSignal);
}

const slept = new Set<number>();
let calls = 0;
let callsNotMade = 0;
let callsPutOff = 0;
let looks = 0;

export const scriptedExecutions: ScriptedShape[] = (
  [
    {
      name: 'loop',
      activities: {
        runStep: async ({ visit }: RunStepInput): Promise<StepAnswer> => {
          if (visit > 80) return end('EXITED');
          if (slept.has(visit)) return next(visit + 1);
          slept.add(visit);
          return { follow: 'sleep', visit, label: 'DELAY', ms: dayMs };
        },
      },
    },
    {
      name: 'wait-with-timeout',
      activities: {
        runStep: inTurn({ follow: 'wait', visit: 1, label: 'WAIT', ms: 3_600_000 }, next(2), end('EXITED')),
      },
    },
    {
      name: 'wait-with-event',
      activities: {
        runStep: inTurn({ follow: 'wait', visit: 1, label: 'WAIT', ms: 3_600_000 }, next(2), end('EXITED')),
      },
      meanwhile: signalInPause,
    },
    {
      name: 'cancelled-in-delay',
      activities: {
        runStep: inTurn({ follow: 'sleep', visit: 1, label: 'DELAY', ms: dayMs }, end('CANCELLED')),
      },
      meanwhile: signalInPause,
    },
    {
      name: 'webhook-tried-again',
      activities: {
        runStep: inTurn(call(1), next(2), end('COMPLETED')),
        callWebhook: async () => {
          calls += 1;
          if (calls < 3) throw new Error('The answer was 503');
        },
      },
    },
    {
      name: 'at-once',
      activities: { runStep: inTurn(next(2), end('EXITED')) },
    },
    {
      name: 'with-waits',
      activities: {
        runStep: async () => {
          looks += 1;
          switch (looks) {
            case 1:
              return { follow: 'sleep', visit: 1, label: 'DELAY', ms: dayMs };
            case 3:
              return { follow: 'wait', visit: 2, label: 'WAIT_FOR_EVENT', ms: 3_600_000 };
            case 5:
              await signalOwnWorkflow('changed');
              return { follow: 'wait', visit: 3, label: 'WAIT_FOR_EVENT', ms: null };
            case 7:
              return end('COMPLETED');
            default:
              return next(Math.ceil(looks / 2) + 1);
          }
        },
      },
    },
    {
      name: 'with-calls',
      activities: {
        runStep: inTurn(call(1), next(2), call(2), end('FAILED')),
        callWebhook: async ({ visit }: RunStepInput) => {
          if (visit === 2) throw new Error('The answer was 503');
        },
        failStep: async () => undefined,
      },
    },
    {
      name: 'call-not-made',
      activities: {
        runStep: inTurn(call(1), call(1), call(2), end('FAILED')),
        callWebhook: async ({ visit }: RunStepInput) => {
          if (visit === 2) throw ApplicationFailure.retryable('The answer was 503', 'answered');
          callsNotMade += 1;
          if (callsNotMade < 6) throw new Error('no database');
        },
        failStep: async () => undefined,
      },
    },
    {
      name: 'call-put-off',
      activities: {
        runStep: inTurn(call(1), call(1), call(1), next(2), end('COMPLETED')),
        callWebhook: async () => {
          callsPutOff += 1;
          return callsPutOff < 3 ? { retryInMs: 5_000, failedAttempts: 0 } : undefined;
        },
      },
    },
    {
      name: 'with-failures',
      activities: {
        runStep: afterFailures(5, 'no database', end('CANCELLED')),
      },
    },
  ] as const
).map(({ name, ...script }) => ({
  name: `workflow-execution-${name}`,
  type: 'workflowExecution',
  input: { executionId: 'x' },
  ...script,
}));
