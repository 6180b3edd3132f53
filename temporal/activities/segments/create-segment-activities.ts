import { Context } from '@temporalio/activity';
import { Segment } from '../../../db/entities/segment.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import { countMembers, countStoredMembers } from '../../../db/statements/segments/count-members.ts';
import { listStaleSegments } from '../../../db/statements/segments/list-stale-segments.ts';
import { listSegmentTurns } from '../../../db/statements/segments/segment-turns.ts';
import type { SegmentActivities, SegmentCounts } from '../../contracts/segments.ts';
import type { AfterCommit } from '../after-commit.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { evaluateProject } from './evaluate-project.ts';

const projectsPerPage = 200;
/** A newly stale project waits for at most this many segments. */
const segmentsPerPage = 16;

export interface SegmentActivityDependencies extends AfterCommit {
  orm: Orm;
}

export function createSegmentActivities({ orm, committed }: SegmentActivityDependencies): SegmentActivities {
  return {
    listTrackedSegments: ({ after, except }) =>
      except === undefined
        ? orm.em.fork().getRepository(Segment).listTracked(after)
        : listStaleSegments(orm.em.fork(), except, segmentsPerPage),
    computeSegment: (segment) =>
      withHeartbeat(async (signal, note) => {
        const { heartbeatDetails } = Context.current().info;
        // Otherwise the first heartbeat of this attempt would overwrite them.
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

const segmentsPerActivity = 50;

export async function countSegments(em: Em, before: Date, signal: AbortSignal): Promise<SegmentCounts> {
  const repository = em.getRepository(Segment);
  const segments = await repository.listToCount(before, segmentsPerActivity);
  let failed = 0;
  for (const segment of segments) {
    signal.throwIfAborted();
    try {
      if (segment.isCurrent) await countStoredMembers(em, segment);
      else await countMembers(em, segment);
    } catch {
      // While the database is unreachable this fails too, and Temporal retries the activity.
      await repository.postponeCount(segment.id);
      failed += 1;
    }
  }
  return { counted: segments.length - failed, failed, hasMore: segments.length === segmentsPerActivity };
}
