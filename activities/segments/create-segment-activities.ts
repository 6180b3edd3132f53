import { Context } from '@temporalio/activity';
import type { Orm } from '../../db/orm.ts';
import { listTrackedSegments } from '../../db/repositories/segments/segment-rounds.ts';
import type { SpanFacts } from '../../runtime/tracing.ts';
import type { SegmentActivities } from '../../temporal/contracts/segments.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { countSegments } from './count-segments.ts';

/** How every activity of the worker is run. */
interface ActivityRunner {
  traced<R>(facts: SpanFacts, run: () => Promise<R>, result?: (result: R) => SpanFacts): Promise<R>;
  /** `note` says what goes along with the heartbeats. */
  withHeartbeat<R>(work: (signal: AbortSignal, note: (progress: unknown) => void) => Promise<R>): Promise<R>;
  /** Called after a commit that left rows in the journal. */
  committed: () => void;
}

/** The activities of segments. */
export function createSegmentActivities(
  orm: Orm,
  { traced, withHeartbeat, committed }: ActivityRunner,
): SegmentActivities {
  return {
    listTrackedSegments: ({ after }) => traced({}, () => listTrackedSegments(orm.em.fork(), after)),
    computeSegment: (segment) =>
      traced(
        { 'posthaste.segment.id': segment.segmentId },
        () =>
          withHeartbeat(async (signal, note) => {
            const { heartbeatDetails } = Context.current().info;
            // Else the first heartbeat of this try would forget it.
            if (heartbeatDetails !== undefined) note(heartbeatDetails);
            const changes = await computeTrackedSegment(
              orm.em.fork(),
              segment,
              heartbeatDetails,
              (progress) => {
                committed();
                note(progress);
                signal.throwIfAborted();
              },
            );
            committed();
            return changes;
          }),
        (changes) => ({
          'posthaste.segment.entries': changes?.added ?? 0,
          'posthaste.segment.exits': changes?.removed ?? 0,
        }),
      ),
    countSegments: ({ before }) =>
      traced(
        {},
        () => withHeartbeat((signal) => countSegments(orm.em.fork(), new Date(before), signal)),
        ({ counted, failed }) => ({
          'posthaste.segments.counted': counted,
          'posthaste.segments.failed': failed,
        }),
      ),
  };
}
