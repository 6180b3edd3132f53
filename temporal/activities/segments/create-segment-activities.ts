import { Context } from '@temporalio/activity';
import { isStatementTimeout } from '../../../db/database-errors.ts';
import { type CountableSegment, Segment } from '../../../db/entities/segment.ts';
import type { Em } from '../../../db/orm.ts';
import { countMembersWithin, countStoredMembers } from '../../../db/statements/segments/segment-members.ts';
import { listSegmentTurns, listStaleSegments } from '../../../db/statements/segments/segment-turns.ts';
import type { SegmentActivities, SegmentCounts } from '../../contracts/segments.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { WriterDependencies } from '../writer-dependencies.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { evaluateProject } from './evaluate-project.ts';

const projectsPerPage = 200;
/** A newly stale project waits for at most this many segments. */
const segmentsPerPage = 16;

export function createSegmentActivities({ orm, committed }: WriterDependencies): SegmentActivities {
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
/** Ends the count of one segment, so that a project with slow ones does not hold up the counts of others. */
const slowCountMs = 60_000;

/** After a slow count, the project's other segments on the page wait for the next round. */
export async function countSegments(
  em: Em,
  before: Date,
  signal: AbortSignal,
  countMembers = (segment: CountableSegment) => countMembersWithin(em, segment, slowCountMs),
): Promise<SegmentCounts> {
  const repository = em.getRepository(Segment);
  const segments = await repository.listToCount(before, segmentsPerActivity);
  const slowProjects = new Set<string>();
  let failed = 0;
  for (const segment of segments) {
    signal.throwIfAborted();
    if (!segment.isCurrent && slowProjects.has(segment.projectId)) {
      await repository.postponeCount(segment.id);
      failed += 1;
      continue;
    }
    try {
      await (segment.isCurrent ? countStoredMembers(em, segment) : countMembers(segment));
    } catch (error) {
      if (isStatementTimeout(error)) slowProjects.add(segment.projectId);
      // While the database is unreachable this fails too, and Temporal retries the activity.
      await repository.postponeCount(segment.id);
      failed += 1;
    }
  }
  return { counted: segments.length - failed, failed, hasMore: segments.length === segmentsPerActivity };
}
