import { z } from 'zod';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { waitUntil } from '../../../core/pause.ts';
import { endWhenDue, SliceOver } from '../../../core/slice.ts';
import type { Em } from '../../../db/orm.ts';
import { computationStart, computeSegment } from '../../../db/statements/segments/compute-segment.ts';
import { planClocks } from '../../../db/statements/segments/plan-clocks.ts';
import {
  findComputation,
  keepComputation,
  markCurrent,
  planSegment,
} from '../../../db/statements/segments/plan-segment.ts';
import { haveWritersEnded, writersBarrier } from '../../../db/statements/segments/writers-barrier.ts';
import type { SegmentComputed, TrackedSegment } from '../../contracts/segments.ts';

const progressSchema = z.object({
  added: z.number(),
  removed: z.number(),
  total: z.number(),
  after: z.object({ createdAt: z.iso.datetime(), id: z.uuid() }).nullable(),
  /**
   * The plan that the computation began with; null when it began before all writers that do not know this plan had
   * ended.
   */
  planId: z.uuid().nullable().default(null),
});

type Progress = z.output<typeof progressSchema>;

const writersWaitMs = 10_000;
const writersCheckMs = 50;
/** A few segments are computed at a time: those of other projects wait for the end of a turn. */
const turnMs = 30_000;

/**
 * Plans a tracked segment and computes it in full, resuming from the last heartbeat of an earlier attempt, or from the end
 * of its last turn. Idempotent for changes made after that heartbeat. Afterwards the segment is current, unless its turn
 * ended first, it was changed meanwhile, or a transaction has been writing for longer than ten seconds: then the next
 * round computes it again.
 *
 * @param heartbeat details of that heartbeat
 * @param onBatch called after each batch with the details of the next heartbeat
 * @param longestMs of a turn, which computes at least one batch
 */
export async function computeTrackedSegment(
  em: Em,
  { projectId, segmentId }: TrackedSegment,
  heartbeat: unknown,
  onBatch: (progress: Progress) => void,
  signal?: AbortSignal,
  longestMs = turnMs,
): Promise<SegmentComputed | null> {
  const slice = { endsAt: performance.now() + longestMs };
  const from = progressSchema.safeParse(heartbeat);
  const start = from.success ? from.data : await prepare(em, { projectId, segmentId }, signal);
  if (start === undefined) return null;
  const { planId } = start;
  let progress = start;
  try {
    const result = await computeSegment(em, projectId, segmentId, start, (next) => {
      progress = { ...next, planId };
      onBatch(progress);
      endWhenDue(slice);
    });
    if (result === undefined) return null;
    const isCurrent = planId !== null && (await markCurrent(em, segmentId, planId));
    const { added, removed, total } = result;
    return { added, removed, total, ...(!isCurrent && { isStale: true }) };
  } catch (error) {
    if (!(error instanceof SliceOver)) throw error;
    await keepComputation(em, segmentId, progress);
    // Without a plan, its next turn starts over in a later round.
    return { added: 0, removed: 0, total: 0, isUnfinished: true, ...(planId === null && { isStale: true }) };
  }
}

/** A project plans for one segment at a time: concurrent computations would all plan the same clocks. */
const planTurns = new FairSemaphore(Number.POSITIVE_INFINITY, { perOwner: 1 });

async function prepare(
  em: Em,
  { projectId, segmentId }: TrackedSegment,
  signal: AbortSignal | undefined,
): Promise<Progress | undefined> {
  const before = await findComputation(em, projectId, segmentId);
  const kept = progressSchema.safeParse(before?.computation).data;
  if (kept?.planId && kept.planId === before?.planId) return kept;
  const planId = await planSegment(em, projectId, segmentId);
  if (planId === undefined) return undefined;
  if (!(await waitForWriters(em, signal))) return { ...computationStart, planId: null };
  await planTurns.run(projectId, () => planClocks(em, projectId, planId, signal), signal);
  return { ...computationStart, planId };
}

async function waitForWriters(em: Em, signal: AbortSignal | undefined): Promise<boolean> {
  const barrier = await writersBarrier(em);
  return waitUntil(() => haveWritersEnded(em, barrier), writersCheckMs, writersWaitMs, signal);
}
