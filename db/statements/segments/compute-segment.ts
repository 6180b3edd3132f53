import { z } from 'zod';
import type { InTurn } from '../../../core/in-turn.ts';
import { segmentAudience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { allProjects, lockedOfAllProjects } from '../../entities/project-em.ts';
import { Segment } from '../../entities/segment.ts';
import { isTooMany, limitStatements, longestStatementMs } from '../../limit-statements.ts';
import type { Em } from '../../orm.ts';
import { readClock } from '../../read-clock.ts';
import { inRetriedTransaction } from '../../retry-transaction.ts';
import { bindInto } from '../../sql.ts';
import { boundsSql, type ContactCursor, findBatchEnd, firstBatch, nextBatch } from './contact-batches.ts';
import { membershipEventInput, membershipEventsSql } from './membership-events-sql.ts';

const changesSchema = z.object({ added: z.int(), removed: z.int(), total: z.int() });

/** `after`: where the next batch begins; null at the start and at the end. */
export type ComputationProgress = z.output<typeof changesSchema> & { after: ContactCursor | null };

export const computationStart: ComputationProgress = { added: 0, removed: 0, total: 0, after: null };

/**
 * Updates the members of a tracked dynamic segment for the next contacts by creation, and journals each change, in its
 * own transaction. Locks the segment, so that concurrent computations make and journal each change once.
 *
 * @param after end of the previous batch; null at the start
 * @param contacts how many
 * @returns undefined when the segment was deleted or is no longer tracked and dynamic
 */
async function computeBatch(
  em: Em,
  projectId: string,
  segmentId: string,
  after: ContactCursor | null,
  contacts: number,
  longestMs: number,
): Promise<ComputationProgress | undefined> {
  await limitStatements(em, contacts, longestMs);
  const segment = await em.findOne(Segment, { id: segmentId, projectId }, lockedOfAllProjects);
  if (!segment?.isComputed()) return undefined;
  const audience = await segmentAudience(em, projectId, segmentId);
  if (audience === undefined) return undefined;
  const next = await findBatchEnd(em, projectId, after, contacts);
  const now = await readClock(em);
  const parameters: unknown[] = [membershipEventInput([segment], now), projectId, segmentId];
  const bind = bindInto(parameters);
  const belongs = audience.where(now, bind, 'given');
  const text = updateMembersSql(belongs, boundsSql(after, next, bind));
  const [row] = await audienceQuery(em, 'given', changesSchema, text, parameters);
  return { ...(row ?? computationStart), after: next };
}

/** A full computation does not know what changed, so the contact's last change counts, if it is at most an hour old. */
const lastHops = `(
  select m.moved_hops from contacts m
  where m.id = c.contact_id and m.moved_at > i.at - interval '1 hour')`;

/**
 * Forces index look-ups: the planner has no statistics for a segment filled a moment ago. That is why the condition is
 * in the select list and intermediate results are passed as arrays.
 */
const updateMembersSql = (belongs: string, bounds: string) => `
with candidate as materialized (
  select c.id, (${belongs}) is true as belongs,
    (select true from segment_members m where m.segment_id = $3 and m.contact_id = c.id) is true as is_member
  from contacts c
  where c.project_id = $2${bounds}
),
arriving as materialized (
  -- Locked until the commit: a contact deleted meanwhile either takes its member row along or does not enter.
  select c.id from contacts c
  where c.id = any(array(select id from candidate where belongs and not is_member))
  order by c.project_id, c.email for key share
),
entered as (
  insert into segment_members (segment_id, contact_id) select $3, id from arriving
  on conflict do nothing
  returning segment_id, contact_id
),
departed as (
  delete from segment_members
  where segment_id = $3
    and contact_id = any(array(select id from candidate where is_member and not belongs))
  returning segment_id, contact_id
),
${membershipEventsSql(lastHops)}
select (select count(*)::int from entered) as added, (select count(*)::int from departed) as removed,
  (select count(*)::int from candidate where belongs) as total`;

/**
 * Computes the members of a segment batch by batch, and stores their count at the end.
 *
 * @param from progress of an interrupted computation, or `computationStart`
 * @param onBatch called after each batch but the last
 * @param inTurn runs a batch when it is the project's turn
 * @param longestMs of a batch, which is repeated with fewer contacts
 * @returns undefined when the segment was deleted or is no longer tracked and dynamic
 */
export async function computeSegment(
  em: Em,
  projectId: string,
  segmentId: string,
  from: ComputationProgress,
  onBatch: (progress: ComputationProgress) => void,
  inTurn: InTurn = (batch) => batch(),
  longestMs = longestStatementMs,
): Promise<ComputationProgress | undefined> {
  let progress = from;
  let contacts = firstBatch;
  for (;;) {
    const { after } = progress;
    const batch = await inTurn(async () => {
      const startedAt = performance.now();
      const compute = (run: Em) => computeBatch(run, projectId, segmentId, after, contacts, longestMs);
      try {
        const computed = await inRetriedTransaction(em, compute);
        contacts = nextBatch(contacts, contacts, performance.now() - startedAt);
        return computed;
      } catch (error) {
        if (!isTooMany(error, contacts)) throw error;
        contacts = nextBatch(contacts, contacts, longestStatementMs);
        return 'too many';
      }
    });
    if (batch === 'too many') continue;
    if (batch === undefined) return undefined;
    progress = {
      added: progress.added + batch.added,
      removed: progress.removed + batch.removed,
      total: progress.total + batch.total,
      after: batch.after,
    };
    if (batch.after === null) break;
    onBatch(progress);
  }
  const now = new Date();
  await em.nativeUpdate(
    Segment,
    { id: segmentId },
    { memberCount: progress.total, countedAt: now, computedAt: now },
    allProjects,
  );
  return progress;
}
