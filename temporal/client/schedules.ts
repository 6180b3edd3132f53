import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { type JobKind, searchAttributes } from '../contracts/search-attributes.ts';
import {
  newSegmentComputation,
  newSegmentCount,
  newSegmentRounds,
  segmentComputationWorkflow,
  segmentCountWorkflow,
  segmentRoundsWorkflow,
} from '../contracts/segments.ts';
import { type SweepInput, type SweepName, sweepWorkflow } from '../contracts/sweeps.ts';

const everySeconds: Record<SweepName, number> = {
  campaigns: 60,
  'campaign-recount': 60 * 60,
  expired: 60 * 60,
  partitions: 60 * 60,
  'stranded-emails': 10 * 60,
  'overdue-snoozes': 10 * 60,
  'contact-figures': 30,
  'contact-erasures': 5 * 60,
  'project-security': 60,
  executions: 5 * 60,
  'orphaned-executions': 60 * 60,
};

const segmentRounds = {
  computation: 'segments/computation',
  changes: 'segments/changes',
  count: 'segments/count',
} as const;

export const scheduleIds: readonly string[] = [
  ...Object.keys(everySeconds).map((sweep) => `sweep/${sweep}`),
  ...Object.values(segmentRounds),
];

export interface RoundIntervals {
  segmentRoundSeconds: number;
  segmentComputationMinutes: number;
  segmentCountMinutes: number;
}

interface Round {
  id: string;
  everySeconds: number;
  workflow: string;
  input: unknown;
  summary: string;
  kind: JobKind;
}

/** Creates or updates the schedules of all recurring work. Idempotent, also across concurrent processes. */
export async function ensureSchedules(
  client: Client,
  taskQueue: string,
  intervals: RoundIntervals,
): Promise<void> {
  const rounds = [...sweepRounds(), ...segmentRoundsAt(intervals)];
  await Promise.all(rounds.map((round) => ensureSchedule(client, taskQueue, round)));
}

function sweepRounds(): Round[] {
  return (Object.entries(everySeconds) as [SweepName, number][]).map(([sweep, seconds]) => {
    const input: SweepInput = { sweep };
    return {
      id: `sweep/${sweep}`,
      everySeconds: seconds,
      workflow: sweepWorkflow,
      input,
      summary: `Sweep: ${sweep}`,
      kind: 'sweep',
    };
  });
}

function segmentRoundsAt(intervals: RoundIntervals): Round[] {
  return [
    {
      id: segmentRounds.computation,
      everySeconds: intervals.segmentComputationMinutes * 60,
      workflow: segmentComputationWorkflow,
      input: newSegmentComputation,
      summary: 'Tracked segments that are new or were edited',
      kind: 'segments',
    },
    {
      id: segmentRounds.changes,
      everySeconds: intervals.segmentRoundSeconds,
      workflow: segmentRoundsWorkflow,
      input: newSegmentRounds,
      summary: 'Entries and exits of tracked segments',
      kind: 'segments',
    },
    {
      id: segmentRounds.count,
      everySeconds: intervals.segmentCountMinutes * 60,
      workflow: segmentCountWorkflow,
      input: newSegmentCount,
      summary: 'Member counts of segments',
      kind: 'segments',
    },
  ];
}

/** A run is skipped while the previous one is still running. */
async function ensureSchedule(client: Client, taskQueue: string, round: Round): Promise<void> {
  const description = {
    spec: { intervals: [{ every: `${round.everySeconds} seconds` as const }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: round.workflow,
      taskQueue,
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
