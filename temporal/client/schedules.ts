import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Config } from '../../core/config/schema.ts';
import { type JobKind, searchAttributes } from '../contracts/search-attributes.ts';
import {
  newSegmentComputation,
  newSegmentCount,
  newSegmentRounds,
  segmentComputationWorkflow,
  segmentCountWorkflow,
  segmentRoundsWorkflow,
} from '../contracts/segments.ts';
import { type SweepInput, type SweepName, sweepSeconds, sweepWorkflow } from '../contracts/sweeps.ts';
import { jobTaskQueue } from '../contracts/task-queues.ts';

type RoundIntervals = Pick<
  Config,
  'SEGMENT_ROUND_INTERVAL_SECONDS' | 'SEGMENT_COMPUTE_INTERVAL_MINUTES' | 'SEGMENT_COUNT_INTERVAL_MINUTES'
>;

interface Round {
  id: string;
  everySeconds: (intervals: RoundIntervals) => number;
  workflow: string;
  input: unknown;
  summary: string;
  kind: JobKind;
}

const sweepRounds = (Object.entries(sweepSeconds) as [SweepName, number][]).map(
  ([sweep, seconds]): Round => ({
    id: `sweep/${sweep}`,
    everySeconds: () => seconds,
    workflow: sweepWorkflow,
    input: { sweep } satisfies SweepInput,
    summary: `Sweep: ${sweep}`,
    kind: 'sweep',
  }),
);

const rounds: readonly Round[] = [
  ...sweepRounds,
  {
    id: 'segments/computation',
    everySeconds: ({ SEGMENT_COMPUTE_INTERVAL_MINUTES: minutes }) => minutes * 60,
    workflow: segmentComputationWorkflow,
    input: newSegmentComputation,
    summary: 'Tracked segments that are new or were edited',
    kind: 'segments',
  },
  {
    id: 'segments/changes',
    everySeconds: ({ SEGMENT_ROUND_INTERVAL_SECONDS: seconds }) => seconds,
    workflow: segmentRoundsWorkflow,
    input: newSegmentRounds,
    summary: 'Entries and exits of tracked segments',
    kind: 'segments',
  },
  {
    id: 'segments/count',
    everySeconds: ({ SEGMENT_COUNT_INTERVAL_MINUTES: minutes }) => minutes * 60,
    workflow: segmentCountWorkflow,
    input: newSegmentCount,
    summary: 'Member counts of segments',
    kind: 'segments',
  },
];

export const scheduleIds: readonly string[] = rounds.map(({ id }) => id);

/**
 * Creates or updates the schedules of all recurring work. A run is skipped while the previous one is still running.
 * Idempotent, also across concurrent processes.
 */
export async function ensureSchedules(
  client: Client,
  taskQueue: string,
  intervals: RoundIntervals,
): Promise<void> {
  await Promise.all(rounds.map((round) => ensureSchedule(client, taskQueue, round, intervals)));
}

async function ensureSchedule(
  client: Client,
  taskQueue: string,
  round: Round,
  intervals: RoundIntervals,
): Promise<void> {
  const description = {
    spec: { intervals: [{ every: `${round.everySeconds(intervals)} seconds` as const }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: round.workflow,
      taskQueue: jobTaskQueue(taskQueue),
      args: [round.input],
      workflowId: round.id,
      staticSummary: round.summary,
      typedSearchAttributes: searchAttributes({ JobKind: round.kind }),
    },
  };
  try {
    await client.schedule.create({ scheduleId: round.id, ...description });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(round.id).update((current) => ({ ...current, ...description }));
  }
}
