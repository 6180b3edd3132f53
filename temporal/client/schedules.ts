import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { type JobKind, priorities } from '../contracts/operations.ts';
import {
  newSegmentComputation,
  newSegmentCount,
  segmentComputationWorkflow,
  segmentCountWorkflow,
} from '../contracts/segments.ts';
import { type SweepInput, type SweepName, sweepWorkflow } from '../contracts/sweeps.ts';

/** Seconds between the runs of each sweep. */
const everySeconds: Record<SweepName, number> = {
  campaigns: 60,
  'campaign-recount': 60 * 60,
  expired: 60 * 60,
  'stranded-emails': 10 * 60,
  'overdue-snoozes': 10 * 60,
  'contact-figures': 30,
  'contact-erasures': 5 * 60,
  'project-security': 60,
  executions: 5 * 60,
  'orphaned-executions': 60 * 60,
};

/** Minutes between the rounds whose interval the operator sets. */
export interface RoundIntervals {
  segmentComputation: number;
  segmentCount: number;
}

interface Round {
  /** Of the schedule and of its workflow. */
  id: string;
  everySeconds: number;
  workflow: string;
  input: unknown;
  summary: string;
  kind: JobKind;
}

/**
 * Makes sure that everything that recurs has its schedule, and that it has the interval of this version. Any
 * number of processes may do so at once.
 */
export async function ensureSchedules(
  client: Client,
  taskQueue: string,
  minutes: RoundIntervals,
): Promise<void> {
  for (const [sweep, seconds] of Object.entries(everySeconds) as [SweepName, number][]) {
    const input: SweepInput = { sweep };
    await ensureSchedule(client, taskQueue, {
      id: `sweep/${sweep}`,
      everySeconds: seconds,
      workflow: sweepWorkflow,
      input,
      summary: `Sweep: ${sweep}`,
      kind: 'sweep',
    });
  }
  await ensureSchedule(client, taskQueue, {
    id: 'segments/computation',
    everySeconds: minutes.segmentComputation * 60,
    workflow: segmentComputationWorkflow,
    input: newSegmentComputation,
    summary: 'Entries and exits of tracked segments',
    kind: 'segments',
  });
  await ensureSchedule(client, taskQueue, {
    id: 'segments/count',
    everySeconds: minutes.segmentCount * 60,
    workflow: segmentCountWorkflow,
    input: newSegmentCount,
    summary: 'Member counts of segments',
    kind: 'segments',
  });
}

/** A round that is due while the one before still runs is left out. */
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
      priority: { priorityKey: priorities.sweep },
      typedSearchAttributes: new TypedSearchAttributes([
        { key: defineSearchAttributeKey('JobKind', 'KEYWORD'), value: round.kind },
      ]),
    },
  };
  try {
    await client.schedule.create({ scheduleId: round.id, ...description });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(round.id).update((current) => ({ ...current, ...description }));
  }
}
