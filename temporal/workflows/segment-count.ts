import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SegmentActivities, SegmentCountInput } from '../contracts/segments.ts';
import { isHistoryLong } from './history-limits.ts';

const { countSegments } = proxyActivities<SegmentActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10 },
});

/**
 * One round that counts the members of every segment, oldest count first, started by a schedule. An interrupted round
 * resumes where it stopped, because the counts themselves show what is left.
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
    if (isHistoryLong('segments')) await continueAsNew<typeof segmentCount>({ startedAt, counted, failed });
  }
}
