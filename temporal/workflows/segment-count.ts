import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SegmentActivities, SegmentCountInput } from '../contracts/segments.ts';

const { countSegments } = proxyActivities<SegmentActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10 },
});

const longestHistory = 4_000;

/**
 * One round that counts the members of every segment, the oldest figure first; the schedule is its clock. The figures
 * themselves tell what is left, so a round that is killed goes on where it was.
 */
export async function segmentCount(input: SegmentCountInput): Promise<{ counted: number; failed: number }> {
  const startedAt = input.startedAt ?? new Date().toISOString();
  let { counted, failed } = input;
  for (;;) {
    const result = await countSegments({ before: startedAt });
    counted += result.counted;
    failed += result.failed;
    setCurrentDetails(`**${counted}** segments counted, **${failed}** failed`);
    if (!result.hasMore) return { counted, failed };
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (continueAsNewSuggested || historyLength > longestHistory) {
      await continueAsNew<typeof segmentCount>({ startedAt, counted, failed });
    }
  }
}
