import {
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { SegmentActivities, SegmentComputationInput, TrackedSegment } from '../contracts/segments.ts';
import { isHistoryLong } from './history-limits.ts';
import { takeTurns } from './take-turns.ts';

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
/** Beyond this many segments left over, the round ends. The next one tries them again. */
const maxLeft = 1_000;

type Figures = Omit<SegmentComputationInput, 'after'>;

/**
 * One round over the tracked segments of all projects that have to be computed in full, started by a schedule; for the
 * others, `segmentRounds` evaluates the changes. Each segment is its own activity; a failed segment does not block the
 * others and is retried in the next round. The projects take turns, so a project with many segments, or with one that takes
 * hours, holds up no other.
 */
export async function segmentComputation(input: SegmentComputationInput): Promise<Figures> {
  const { after, ...figures } = input;
  const left = new Set<string>();
  if (!patched('segments-in-turn')) return computeInOrder(after);
  const isOver = await takeTurns<TrackedSegment>({
    atOnce: segmentsAtOnce,
    list: async () =>
      left.size > maxLeft
        ? []
        : (await listTrackedSegments({ after: null, except: [...left] })).filter(
            ({ segmentId }) => !left.has(segmentId),
          ),
    idOf: ({ segmentId }) => segmentId,
    run: compute,
  });
  return isOver ? figures : continueAsNew<typeof segmentComputation>({ after: null, ...figures });

  async function compute(segment: TrackedSegment): Promise<void> {
    try {
      const changes = await computeSegment.executeWithOptions(
        { ...computation, summary: `Segment ${segment.segmentId}` },
        [segment],
      );
      if (changes?.isStale) left.add(segment.segmentId);
      if (changes?.isUnfinished) return;
      figures.segments += 1;
      figures.added += changes?.added ?? 0;
      figures.removed += changes?.removed ?? 0;
    } catch (error) {
      if (isCancellation(error)) throw error;
      figures.failed += 1;
      left.add(segment.segmentId);
    }
    setCurrentDetails(
      `**${figures.segments}** segments: **${figures.added}** entries, **${figures.removed}** exits, ` +
        `**${figures.failed}** segments failed`,
    );
  }

  /** For rounds that began before `segments-in-turn`. */
  async function computeInOrder(start: string | null): Promise<Figures> {
    let position = start;
    for (;;) {
      const page = await listTrackedSegments({ after: position });
      const waiting = [...page];
      const work = async () => {
        for (let segment = waiting.shift(); segment !== undefined; segment = waiting.shift()) {
          await compute(segment);
        }
      };
      await Promise.all(Array.from({ length: segmentsAtOnce }, work));
      const last = page.at(-1);
      if (last === undefined) return figures;
      position = last.segmentId;
      if (isHistoryLong('segments')) {
        await continueAsNew<typeof segmentComputation>({ after: position, ...figures });
      }
    }
  }
}
