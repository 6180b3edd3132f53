import type { WorkflowHandle } from '@temporalio/client';
import type { RunStepInput, StepAnswer } from '../../temporal/contracts/workflow-execution.ts';
import { executionChangedSignal } from '../../temporal/contracts/workflow-execution.ts';
import { eventually } from './eventually.ts';

/** How an execution goes: what its steps answer, and what happens while it pauses. */
interface ScriptedExecution {
  name: string;
  type: 'workflowExecution';
  input: { executionId: string };
  activities: object;
  /** Time does not jump meanwhile. */
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

const dayMs = 86_400_000;
const next = (visit: number): StepAnswer => ({ follow: 'step', visit, label: `step ${visit}` });
const end = (status: string): StepAnswer => ({ follow: 'end', status });

/** Answers of the looks, one after the other. */
function inTurn(...answers: StepAnswer[]): () => Promise<StepAnswer> {
  const left = [...answers];
  return async () => left.shift() ?? end('COMPLETED');
}

/** Says that something has changed once the timer of the pause runs. */
async function signalInPause(handle: WorkflowHandle): Promise<void> {
  await eventually(
    () => handle.fetchHistory(),
    ({ events }) => events?.some((event) => event.timerStartedEventAttributes != null) ?? false,
  );
  await handle.signal(executionChangedSignal);
}

const slept = new Set<number>();
let calls = 0;

/** Shapes of executions, each of them once. */
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
