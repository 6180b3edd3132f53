import { newId } from '../../../core/new-id.ts';
import { segmentInputs } from '../../../core/segments/segment-inputs.ts';
import { loadSegmentDefinitions } from '../../conditions/segment-definitions.ts';
import { allProjects, lockedOfAllProjects } from '../../entities/project-em.ts';
import { Segment } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import { lockSegmentReferences } from './lock-segment-references.ts';

/**
 * Records the inputs of a tracked dynamic segment, so that their changes are recorded. A full computation that begins
 * behind the barrier (`haveWritersEnded`) makes the segment current, unless its plan was replaced meanwhile.
 *
 * @returns the id of the plan; undefined when the segment was deleted or is no longer tracked and dynamic
 */
export function planSegment(em: Em, projectId: string, segmentId: string): Promise<string | undefined> {
  return em.fork().transactional(async (inner) => {
    // Locked in the order used by a change of the condition, which also locks the segments that lead to it.
    await lockSegmentReferences(inner, projectId);
    const segment = await inner.findOne(Segment, { id: segmentId, projectId }, lockedOfAllProjects);
    if (!segment?.isComputed()) return undefined;
    const inputs = segmentInputs(await loadSegmentDefinitions(inner, projectId, [segmentId]));
    const planId = newId();
    await inner.nativeUpdate(Segment, { id: segmentId }, { inputs: [...inputs.keys()], planId }, allProjects);
    await deleteUnused(inner, projectId);
    const rows = [...inputs].map(([input, clock]) => ({ input, clock }));
    const sql = `insert into segment_inputs (project_id, input, clock)
       select $1, input, nullif(clock, 'null') from json_to_recordset($2::json) as t(input text, clock jsonb)
       on conflict do nothing`;
    await execute(inner, sql, [projectId, JSON.stringify(rows)]);
    return planId;
  });
}

/** Stops recording inputs that no tracked segment of the project reads any more. */
export function dropUnusedInputs(em: Em, projectId: string): Promise<void> {
  return em.fork().transactional(async (inner) => {
    await lockSegmentReferences(inner, projectId);
    await deleteUnused(inner, projectId);
  });
}

async function deleteUnused(em: Em, projectId: string): Promise<void> {
  const sql = `delete from segment_inputs i
     where i.project_id = $1 and i.input not in (
       select unnest(s.inputs) from segments s
       where s.project_id = $1 and s.track_membership and s.type = 'DYNAMIC')`;
  await execute(em, sql, [projectId]);
}

/** @returns whether change rounds suffice for the segment from now on: it has not changed since it got this plan */
export async function markCurrent(em: Em, segmentId: string, planId: string): Promise<boolean> {
  const change = { isCurrent: true, computation: null, turnEndedAt: null };
  return (await em.nativeUpdate(Segment, { id: segmentId, planId }, change, allProjects)) === 1;
}

/** Keeps the progress of a computation for its next turn. */
export async function keepComputation(
  em: Em,
  segmentId: string,
  computation: Record<string, unknown>,
): Promise<void> {
  const change = { computation, turnEndedAt: new Date() };
  await em.nativeUpdate(Segment, { id: segmentId }, change, allProjects);
}

/** @returns the progress that `keepComputation` has kept, and the segment's plan */
export function findComputation(em: Em, projectId: string, segmentId: string) {
  const fields = { fields: ['planId', 'computation'], ...allProjects } as const;
  return em.fork().findOne(Segment, { id: segmentId, projectId }, fields);
}

/**
 * Schedules a full computation after a round has failed for the segment. Without its plan, a computation under way does
 * not make it current: that one may have passed the contacts of the round already.
 */
export async function markStale(em: Em, segmentId: string): Promise<void> {
  await em.nativeUpdate(Segment, { id: segmentId }, { isCurrent: false, planId: null }, allProjects);
}
