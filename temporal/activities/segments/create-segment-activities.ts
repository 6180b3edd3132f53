import { Context } from '@temporalio/activity';
import { Segment } from '../../../db/entities/segment.ts';
import type { Orm } from '../../../db/orm.ts';
import type { SegmentActivities } from '../../contracts/segments.ts';
import type { AfterCommit } from '../after-commit.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { countSegments } from './count-segments.ts';

export interface SegmentActivityDependencies extends AfterCommit {
  orm: Orm;
}

export function createSegmentActivities({ orm, committed }: SegmentActivityDependencies): SegmentActivities {
  return {
    listTrackedSegments: ({ after }) => orm.em.fork().getRepository(Segment).listTracked(after),
    computeSegment: (segment) =>
      withHeartbeat(async (signal, note) => {
        const { heartbeatDetails } = Context.current().info;
        // The first heartbeat of this attempt would overwrite them.
        if (heartbeatDetails !== undefined) note(heartbeatDetails);
        const changes = await computeTrackedSegment(orm.em.fork(), segment, heartbeatDetails, (progress) => {
          committed();
          note(progress);
          signal.throwIfAborted();
        });
        committed();
        return changes;
      }),
    countSegments: ({ before }) =>
      withHeartbeat((signal) => countSegments(orm.em.fork(), new Date(before), signal)),
  };
}
