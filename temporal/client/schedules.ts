import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { priorities } from '../contracts/operations.ts';
import { type SweepInput, type SweepName, sweepWorkflow } from '../contracts/sweeps.ts';

/** Seconds between the runs of each sweep. */
const everySeconds: Record<SweepName, number> = {
  expired: 60 * 60,
  'stranded-emails': 10 * 60,
  'overdue-snoozes': 10 * 60,
  'contact-figures': 30,
};

/**
 * Makes sure that every recurring sweep has its schedule, and that it has the interval of this version. Any
 * number of processes may do so at once.
 */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const [sweep, seconds] of Object.entries(everySeconds) as [SweepName, number][]) {
    const input: SweepInput = { sweep };
    const description = {
      spec: { intervals: [{ every: `${seconds} seconds` as const }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
      action: {
        type: 'startWorkflow' as const,
        workflowType: sweepWorkflow,
        taskQueue,
        args: [input],
        workflowId: `sweep/${sweep}`,
        staticSummary: `Sweep: ${sweep}`,
        priority: { priorityKey: priorities.sweep },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: defineSearchAttributeKey('JobKind', 'KEYWORD'), value: 'sweep' },
        ]),
      },
    };
    try {
      await client.schedule.create({ scheduleId: `sweep/${sweep}`, ...description });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await client.schedule.getHandle(`sweep/${sweep}`).update((current) => ({ ...current, ...description }));
    }
  }
}
