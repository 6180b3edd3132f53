import { Context } from '@temporalio/activity';
import { Segment } from '../../../db/entities/segment.ts';
import type { Orm } from '../../../db/orm.ts';
import { listSegmentTurns } from '../../../db/statements/segments/segment-turns.ts';
import type { SegmentActivities } from '../../contracts/segments.ts';
import type { AfterCommit } from '../after-commit.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { countSegments } from './count-segments.ts';
import { evaluateProject } from './evaluate-project.ts';

const projectsPerPage = 200;

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
        const onBatch = (progress: unknown) => {
          committed();
          note(progress);
          signal.throwIfAborted();
        };
        const changes = await computeTrackedSegment(
          orm.em.fork(),
          segment,
          heartbeatDetails,
          onBatch,
          signal,
        );
        committed();
        return changes;
      }),
    countSegments: ({ before }) =>
      withHeartbeat((signal) => countSegments(orm.em.fork(), new Date(before), signal)),
    listSegmentTurns: () => listSegmentTurns(orm.em.fork(), projectsPerPage),
    evaluateSegmentChanges: ({ projectId }) =>
      withHeartbeat(async (signal) => {
        const round = await evaluateProject(orm.em.fork(), projectId, signal);
        committed();
        return round;
      }),
  };
}
