import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { priorities } from '../contracts/operations.ts';
import { type SweepInput, type SweepName, sweepWorkflow } from '../contracts/sweeps.ts';

const everyMinutes: Record<SweepName, number> = { expired: 60, 'stranded-emails': 10 };

/**
 * Makes sure that every recurring sweep has its schedule, and that it has the interval of this version. Any
 * number of processes may do so at once.
 */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const [sweep, minutes] of Object.entries(everyMinutes) as [SweepName, number][]) {
    const input: SweepInput = { sweep };
    const description = {
      spec: { intervals: [{ every: `${minutes} minutes` as const }] },
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
