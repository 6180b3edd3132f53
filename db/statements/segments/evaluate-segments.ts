import { z } from 'zod';
import { audienceQuery, endOfExists } from '../../conditions/audience-query.ts';
import { contactColumnsSql, readDataOften } from '../../conditions/read-data-once.ts';
import { loadSegmentDefinitions, membershipSql } from '../../conditions/segment-definitions.ts';
import { lockedOfAllProjects } from '../../entities/project-em.ts';
import { Segment } from '../../entities/segment.ts';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import { limitStatements, longestStatementMs } from '../../limit-statements.ts';
import type { Em } from '../../orm.ts';
import { readClock } from '../../read-clock.ts';
import { inRetriedTransaction } from '../../retry-transaction.ts';
import { bindInto } from '../../sql.ts';
import type { SegmentBatch } from './batch-segments.ts';
import { type HopsOfChanges, hopsOfContactSql, hopsParameter } from './hops-of-changes.ts';
import { membershipEventInput, membershipEventsSql } from './membership-events-sql.ts';

const changesSchema = z.object({ added: z.int(), removed: z.int() });
type Changes = z.output<typeof changesSchema>;

/**
 * Updates the members of tracked dynamic segments among the given contacts, journals each change and adds it to the
 * counts, in one transaction. Locks the segments, so that concurrent computations make and journal each change once.
 * Skips segments that were deleted or are no longer tracked and dynamic.
 *
 * @param em outside of a transaction
 * @param longestMs see `limitStatements`
 */
export function evaluateSegments(
  em: Em,
  projectId: string,
  batch: SegmentBatch,
  hops: HopsOfChanges,
  longestMs = longestStatementMs,
): Promise<Changes> {
  return inRetriedTransaction(em, async (run) => {
    await limitStatements(run, batch.contacts.size, longestMs);
    return evaluate(run, projectId, batch, hops);
  });
}

async function evaluate(
  em: Em,
  projectId: string,
  { bits, contacts }: SegmentBatch,
  hops: HopsOfChanges,
): Promise<Changes> {
  const segments = await em.find(
    Segment,
    { projectId, id: { $in: [...bits.keys()] }, type: 'DYNAMIC', trackMembership: true },
    { ...lockedOfAllProjects, orderBy: { id: 'asc' } },
  );
  if (segments.length === 0) return { added: 0, removed: 0 };
  const ids = segments.map(({ id }) => id);
  const definitions = await loadSegmentDefinitions(em, projectId, ids);
  const now = await readClock(em);
  const input = membershipEventInput(segments, now);
  const touched = [[...contacts.keys()], [...contacts.values()]];
  const parameters: unknown[] = [input, projectId, ids, ...touched, hopsParameter(hops)];
  const bind = bindInto(parameters);
  const changes = ids.map((id, index) => {
    const belongs = membershipSql(definitions, id, { projectId, now, reach: 'given' }, bind);
    return changeSql(belongs, index + 1, bits.get(id) ?? 0);
  });
  const [row] = await audienceQuery(em, 'given', changesSchema, evaluateSql(changes), parameters);
  return row ?? { added: 0, removed: 0 };
}

/** The segment's position in $3 when the contact enters it, negative when it leaves; null when nothing changes. */
const changeSql = (belongs: string, place: number, bit: number) => `
  case when t.mask & ${bit} <> 0 then
    case (${belongs}) is true
      when exists (
        select from segment_members m
        where m.segment_id = ($3::uuid[])[${place}] and m.contact_id = c.id ${endOfExists('given')}
      ) then null
      when true then ${place}
      else -${place}
    end
  end`;

/**
 * Reads a contact once for all segments. Contacts that enter are locked until the commit: see `updateMembersSql`. Locks
 * contacts and members in the same order as the deletion of contacts.
 */
const evaluateSql = (changes: readonly string[]) => `
with evaluated as materialized (
  select c.id, c.email, array_remove(array[${changes.join(',')}]::int[], null) as changes
  from unnest($4::uuid[], $5::int[]) t (id, mask)
  cross join lateral (
    select ${readDataOften(changes) ? contactColumnsSql : '*'}
    from contacts c where c.id = t.id and c.project_id = $2 offset 0
  ) c
),
change as materialized (
  select e.id as contact_id, e.email, ($3::uuid[])[abs(place)] as segment_id, place > 0 as enters
  from evaluated e
  cross join lateral unnest(e.changes) place
),
arriving as materialized (
  select n.segment_id, n.contact_id
  from (select segment_id, contact_id from change where enters order by email, segment_id offset 0) n
  cross join lateral (${joinByKeySql('contacts c where c.id = n.contact_id', 'for key share')}) c
),
leaving as materialized (
  select m.segment_id, m.contact_id
  from (select segment_id, contact_id from change where not enters order by contact_id, segment_id offset 0) n
  cross join lateral (${joinByKeySql(
    'segment_members m where m.segment_id = n.segment_id and m.contact_id = n.contact_id',
    'for update',
  )}) m
),
entered as (
  insert into segment_members (segment_id, contact_id) select segment_id, contact_id from arriving
  on conflict do nothing
  returning segment_id, contact_id
),
departed as (
  delete from segment_members m using leaving l
  where m.segment_id = l.segment_id and m.contact_id = l.contact_id
  returning m.segment_id, m.contact_id
),
counted as (
  update segments s
  set member_count = greatest(s.member_count + d.change, 0), counted_at = now(), computed_at = now()
  from (
    select segment_id, sum(change)::int as change
    from (
      select segment_id, 1 as change from entered
      union all
      select segment_id, -1 from departed
    ) made
    group by segment_id
  ) d
  where s.id = d.segment_id
),
${membershipEventsSql(hopsOfContactSql('$6', 'c.contact_id'))}
select (select count(*)::int from entered) as added, (select count(*)::int from departed) as removed`;
