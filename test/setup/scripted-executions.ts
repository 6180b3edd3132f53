import type { WorkflowHandle } from '@temporalio/client';
import type { RunStepInput, StepAnswer } from '../../temporal/contracts/workflow-execution.ts';
import { executionChangedSignal } from '../../temporal/contracts/workflow-execution.ts';
import { eventually } from './eventually.ts';

interface ScriptedExecution {
  name: string;
  type: 'workflowExecution';
  input: { executionId: string };
  activities: object;
  /** Time is not skipped while this runs. */
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

const dayMs = 86_400_000;
const next = (visit: number): StepAnswer => ({ follow: 'step', visit, label: `step ${visit}` });
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

export const scriptedExecutions: ScriptedExecution[] = (
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
        runStep: inTurn({ follow: 'call', visit: 1, label: 'WEBHOOK' }, next(2), end('COMPLETED')),
        callWebhook: async () => {
          calls += 1;
          if (calls < 3) throw new Error('The answer was 503');
        },
      },
    },
  ] as const
).map(({ name, ...script }) => ({
  name: `workflow-execution-${name}`,
  type: 'workflowExecution',
  input: { executionId: 'x' },
  ...script,
}));
