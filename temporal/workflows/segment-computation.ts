import { continueAsNew, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SegmentActivities, SegmentComputationInput, TrackedSegment } from '../contracts/segments.ts';
import { isHistoryLong } from './history-limits.ts';

const { listTrackedSegments } = proxyActivities<SegmentActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumInterval: '1 minute' },
});

const computation = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
} as const;
const { computeSegment } = proxyActivities<SegmentActivities>(computation);

/** Parallel computations, so that a large segment does not delay the others. */
const segmentsAtOnce = 4;

/**
 * One round over the tracked segments of all projects that have to be computed in full, started by a schedule; for the
 * others `segmentRounds` evaluates what changes. Each segment is its own activity; a failed segment does not block the
 * others and is retried in the next round.
 */
export async function segmentComputation(
  input: SegmentComputationInput,
): Promise<Omit<SegmentComputationInput, 'after'>> {
  let { after, ...figures } = input;
  for (;;) {
    const page = await listTrackedSegments({ after });
    const waiting = [...page];
    const work = async () => {
      for (let segment = waiting.shift(); segment !== undefined; segment = waiting.shift()) {
        await compute(segment);
      }
    };
    await Promise.all(Array.from({ length: segmentsAtOnce }, work));
    const last = page.at(-1);
    if (last === undefined) return figures;
    after = last.segmentId;
    if (isHistoryLong('segments')) {
      await continueAsNew<typeof segmentComputation>({ after, ...figures });
    }
  }

  async function compute(segment: TrackedSegment): Promise<void> {
    try {
      const changes = await computeSegment.executeWithOptions(
        { ...computation, summary: `Segment ${segment.segmentId}` },
        [segment],
      );
      figures.segments += 1;
      figures.added += changes?.added ?? 0;
      figures.removed += changes?.removed ?? 0;
    } catch (error) {
      if (isCancellation(error)) throw error;
      figures.failed += 1;
    }
    setCurrentDetails(
      `**${figures.segments}** segments: **${figures.added}** entries, **${figures.removed}** exits, ` +
        `**${figures.failed}** segments failed`,
    );
  }
}
