import { retrySerialization } from '../../batching/retry-serialization.ts';
import { segmentAudience } from '../../conditions/audience.ts';
import { audienceSql } from '../../conditions/audience-statement.ts';
import { type Bind, bindInto } from '../../conditions/bind.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { membershipEventInput, membershipEventsSql } from './membership-events-sql.ts';
import { lockSegment } from './segments.ts';

/** Contacts looked at by one transaction. */
const contactsPerBatch = 20_000;

/** The last contact that was looked at: instant and id. */
interface ContactCursor {
  createdAt: string;
  id: string;
}

interface SegmentBatch {
  /** Contacts that became members. */
  added: number;
  /** Contacts that are none any more; those that were deleted are not counted. */
  removed: number;
  /** Members among the contacts of this batch. */
  total: number;
  /** Where the next batch starts; null after the last one. */
  next: ContactCursor | null;
}

/**
 * Brings the kept members of a tracked dynamic segment to what its condition says right now, for the next contacts in
 * the order of their creation, and journals each change. The segment is locked for as long, so of several computations
 * at once each change is made, and told about, by one. Has to run in a transaction of its own.
 *
 * @param after where the batch before ended; null at the start
 * @returns undefined when the project has no such segment, or when it is not both tracked and dynamic
 */
async function computeSegmentBatch(
  em: Em,
  projectId: string,
  segmentId: string,
  after: ContactCursor | null,
): Promise<SegmentBatch | undefined> {
  const segment = await lockSegment(em, projectId, segmentId);
  if (segment?.type !== 'DYNAMIC' || !segment.trackMembership) return undefined;
  const audience = await segmentAudience(em, projectId, segmentId);
  if (audience === undefined) return undefined;

  const next = await findBatchEnd(em, projectId, after);
  const now = new Date();
  const parameters: unknown[] = [membershipEventInput(segment, now), projectId, segmentId];
  const bind = bindInto(parameters);
  const boundsSql = [
    after === null ? '' : boundSql('>', after, bind),
    next === null ? '' : boundSql('<=', next, bind),
  ].join('');

  const [row] = await audienceSql<Omit<SegmentBatch, 'next'>>(
    em,
    'few',
    // All of it looks rows up one by one, whatever the planner believes: the statistics know nothing of a segment
    // that was filled a moment ago. So the condition stands in the list, and what is found goes on as arrays.
    `with looked_at as materialized (
       select c.id, (${audience.where(now, bind)}) is true as belongs,
         (select true from segment_members m where m.segment_id = $3 and m.contact_id = c.id) is true as is_member
       from contacts c
       where c.project_id = $2${boundsSql}
     ),
     arriving as materialized (
       -- Held until the commit: a contact that is deleted right now enters and takes its row along, or does neither.
       select c.id from contacts c
       where c.id = any(array(select id from looked_at where belongs and not is_member))
       order by c.id for key share
     ),
     entered as (
       insert into segment_members (segment_id, contact_id) select $3, id from arriving
       on conflict do nothing
       returning contact_id
     ),
     departed as (
       delete from segment_members
       where segment_id = $3
         and contact_id = any(array(select id from looked_at where is_member and not belongs))
       returning contact_id
     ),
     ${membershipEventsSql}
     select (select count(*)::int from entered) as added, (select count(*)::int from departed) as removed,
       (select count(*)::int from looked_at where belongs) as total`,
    parameters,
  );
  return { added: row?.added ?? 0, removed: row?.removed ?? 0, total: row?.total ?? 0, next };
}

/** The instant stands alone as well, because the planner takes a pair of bounds for a range only so. */
function boundSql(operator: '>' | '<=', { createdAt, id }: ContactCursor, bind: Bind): string {
  const instant = `${bind(createdAt)}::timestamptz`;
  return ` and c.created_at ${operator === '>' ? '>=' : '<='} ${instant}
    and (c.created_at, c.id) ${operator} (${instant}, ${bind(id)}::uuid)`;
}

/** The last contact of a full batch; null when what is left is not more than that. */
async function findBatchEnd(
  em: Em,
  projectId: string,
  after: ContactCursor | null,
): Promise<ContactCursor | null> {
  const [row] = await sql<{ createdAt: Date; id: string }>(
    em,
    `select created_at as "createdAt", id from contacts
     where project_id = $1 and (created_at, id) > ($2::timestamptz, $3::uuid)
     order by created_at, id limit 1 offset ${contactsPerBatch - 1}`,
    [projectId, after?.createdAt ?? '-infinity', after?.id ?? '00000000-0000-0000-0000-000000000000'],
  );
  return row === undefined ? null : { createdAt: row.createdAt.toISOString(), id: row.id };
}

/** How far a computation has come, and what it found so far. */
export interface ComputationProgress {
  added: number;
  removed: number;
  total: number;
  after: ContactCursor | null;
}

export const computationStart: ComputationProgress = { added: 0, removed: 0, total: 0, after: null };

/**
 * Computes who is a member, batch by batch, and keeps the count when it is through.
 *
 * @param from where an earlier computation stopped, or `computationStart`
 * @param onBatch told after each batch but the last
 * @returns undefined when the project has no such segment, or when it is not both tracked and dynamic any more
 */
export async function computeSegment(
  em: Em,
  projectId: string,
  segmentId: string,
  from: ComputationProgress,
  onBatch: (progress: ComputationProgress) => void,
): Promise<ComputationProgress | undefined> {
  let progress = from;
  for (;;) {
    const { after } = progress;
    const batch = await retrySerialization(() =>
      em.fork().transactional((inner) => computeSegmentBatch(inner, projectId, segmentId, after)),
    );
    if (batch === undefined) return undefined;
    progress = {
      added: progress.added + batch.added,
      removed: progress.removed + batch.removed,
      total: progress.total + batch.total,
      after: batch.next,
    };
    if (batch.next === null) break;
    onBatch(progress);
  }
  await sql(
    em,
    'update segments set member_count = $2, counted_at = now(), computed_at = now() where id = $1',
    [segmentId, progress.total],
  );
  return progress;
}
