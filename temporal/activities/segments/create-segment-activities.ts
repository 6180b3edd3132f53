import { isStatementTimeout } from '../../../db/database-errors.ts';
import { type CountableSegment, Segment } from '../../../db/entities/segment.ts';
import { withinTime } from '../../../db/limit-statements.ts';
import type { Em } from '../../../db/orm.ts';
import { countMembers, countStoredMembers } from '../../../db/statements/segments/segment-members.ts';
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
  let round = { before: '', spentMs: new Map<string, number>() };
  return {
    listTrackedSegments: ({ after, except }) =>
      except === undefined
        ? orm.em.fork().getRepository(Segment).listTracked(after)
        : listStaleSegments(orm.em.fork(), except, segmentsPerPage),
    computeSegment: (segment) =>
      withHeartbeat(async (signal, note, heartbeat) => {
        const onBatch = (progress: unknown) => {
          committed();
          note(progress);
          signal.throwIfAborted();
        };
        const changes = await computeTrackedSegment(orm.em.fork(), segment, heartbeat, onBatch, signal);
        committed();
        return changes;
      }),
    countSegments({ before }) {
      // All pages of a round have the same.
      if (round.before !== before) round = { before, spentMs: new Map() };
      const { spentMs } = round;
      return withHeartbeat((signal) => countSegments(orm.em.fork(), new Date(before), signal, spentMs));
    },
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
/** Time for the counts of a project in a round, and for each of them, so that many or slow ones hold up no other project. */
const projectMs = 60_000;

/**
 * Counts a page of segments, those first that were counted longest ago. Those of a project that has used up its time in this
 * round wait for the next one.
 *
 * @param spentMs by project, in this round so far; added to
 */
export async function countSegments(
  em: Em,
  before: Date,
  signal: AbortSignal,
  spentMs: Map<string, number>,
  count = (segment: CountableSegment) => withinTime(em, projectMs, (own) => countMembers(own, segment)),
): Promise<SegmentCounts> {
  const repository = em.getRepository(Segment);
  const spentBy = (projectId: string) => spentMs.get(projectId) ?? 0;
  const isSpent = (projectId: string) => spentBy(projectId) >= projectMs;
  const segments = await repository.listToCount(
    before,
    segmentsPerActivity,
    [...spentMs.keys()].filter(isSpent),
  );
  const result = { counted: 0, failed: 0, hasMore: segments.length === segmentsPerActivity };
  for (const segment of segments) {
    signal.throwIfAborted();
    const { id, projectId, isCurrent } = segment;
    if (!isCurrent && isSpent(projectId)) continue;
    const startedAt = performance.now();
    try {
      await (isCurrent ? countStoredMembers(em, segment) : count(segment));
      result.counted += 1;
    } catch (error) {
      if (isStatementTimeout(error)) spentMs.set(projectId, projectMs);
      // While the database is unreachable this fails too, and Temporal retries the activity.
      await repository.postponeCount(id);
      result.failed += 1;
    }
    spentMs.set(projectId, spentBy(projectId) + performance.now() - startedAt);
  }
  return result;
}
