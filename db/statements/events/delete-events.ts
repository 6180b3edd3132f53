import { z } from 'zod';
import type { InTurn } from '../../../core/in-turn.ts';
import { nilId } from '../../../core/nil-id.ts';
import { eventInput } from '../../../core/segments/segment-inputs.ts';
import { endWhenDue, type Slice, wholeWork } from '../../../core/slice.ts';
import type { Em } from '../../orm.ts';
import { inRetriedTransaction } from '../../retry-transaction.ts';
import { columnsOf, execute, query, queryColumn } from '../../sql.ts';
import { deleteEventName } from './event-names.ts';
import { writeJournalMarker } from './journal-marker.ts';
import type { DeletedName } from './record-event-deletion.ts';

/** Events per transaction: its locks block calls that track the same event of the same contact. */
const batchEvents = 5_000;

type Place = { contactId: string; occurredAt: Date | '-infinity' } | 'no contact';
const start: Place = { contactId: nilId, occurredAt: '-infinity' };

const foundRow = z.object({ id: z.uuid(), contactId: z.uuid().nullable(), occurredAt: z.date() });
const findSql = (where: string) => `
select id, contact_id as "contactId", occurred_at as "occurredAt"
from events
where project_id = $1 and name = $2 and kind <> 'activity' and xid < $3::xid8 and ${where}
order by contact_id, occurred_at
limit ${batchEvents}`;

const findOfContactsSql = findSql('(contact_id, occurred_at) >= ($4::uuid, $5::timestamptz)');
const findOfNoContactSql = findSql('contact_id is null');

/** Locks in the order in which events are counted, to avoid deadlocks. */
const lockStatisticsSql = `
select from contact_event_stats
where project_id = $1 and name = $2 and contact_id = any($3::uuid[])
order by project_id, name, contact_id
for update`;

const deleteSql = `
with gone as (delete from events where id = any($1::uuid[]) returning contact_id, uuid_extract_timestamp(id) as made_at)
select contact_id as "contactId", count(*)::int as count, max(made_at) as "lastMadeAt" from gone group by contact_id`;

const deletedRow = z.object({
  contactId: z.uuid().nullable(),
  count: z.int(),
  lastMadeAt: z.date().nullable(),
});

const uncountSql = `
with gone as (
  select * from unnest($3::uuid[], $4::int[]) as t(contact_id, count)
),
emptied as (
  delete from contact_event_stats s using gone g
  where s.project_id = $1 and s.name = $2 and s.contact_id = g.contact_id and s.count <= g.count
)
update contact_event_stats s
set count = s.count - g.count,
  first_at = coalesce(oldest.occurred_at, s.first_at),
  last_at = coalesce(newest.occurred_at, s.last_at),
  last_event_id = coalesce(newest.id, s.last_event_id)
from gone g
left join lateral (
  select e.occurred_at from events e
  where e.project_id = $1 and e.name = $2 and e.contact_id = g.contact_id and e.kind <> 'activity'
  order by e.occurred_at
  limit 1
) oldest on true
left join lateral (
  select e.occurred_at, e.id from events e
  where e.project_id = $1 and e.name = $2 and e.contact_id = g.contact_id and e.kind <> 'activity'
  order by e.occurred_at desc, e.id desc
  limit 1
) newest on true
where s.project_id = $1 and s.name = $2 and s.contact_id = g.contact_id and s.count > g.count`;

const touchSql = `
select record_segment_changes(array_agg($1::uuid), array_agg(id), array_agg($2::text))
from unnest($3::uuid[]) as contact (id)`;

export interface DeleteEventsOptions {
  slice?: Slice;
  /** Runs a batch when it is the project's turn. */
  inTurn?: InTurn;
}

/**
 * Deletes the events of a name that were committed before the deletion was recorded, and subtracts them from the
 * statistics. Events tracked later stay. An interrupted run can be resumed by another call; `completeDeletion` follows.
 *
 * @param em not in a transaction: each batch opens its own
 * @returns the number of events deleted by this run
 * @throws SliceOver when another slice has to continue
 */
export async function deleteEvents(
  em: Em,
  deletion: DeletedName,
  { slice = wholeWork, inTurn = (batch) => batch() }: DeleteEventsOptions = {},
): Promise<number> {
  let deleted = 0;
  for (let place: Place | undefined = start; place !== undefined; ) {
    slice.signal?.throwIfAborted();
    const from: Place = place;
    const batch: Batch = await inTurn(() =>
      inRetriedTransaction(em, (run) => deleteBatch(run, deletion, from)),
    );
    deleted += batch.deleted;
    place = batch.next;
    if (batch.deleted > 0) endWhenDue(slice);
  }
  return deleted;
}

/** Deletes what else Postgres knows of the name, and tells the journal that its events are deleted. Idempotent. */
export async function completeDeletion(em: Em, deletion: DeletedName): Promise<void> {
  const { id, projectId, name } = deletion;
  await forgetDroppedEvents(em, deletion);
  await deleteEventName(em.fork(), projectId, name);
  await writeJournalMarker(em, { id, projectId, name: 'events.deleted', data: { name } });
}

const pageSql = `
select contact_id from contact_event_stats
where project_id = $1 and name = $2 and contact_id > $3
order by project_id, name, contact_id
limit ${batchEvents}
for update`;

const recountSql = `
with remaining as materialized (
  select c.id as contact_id, e.count
  from unnest($3::uuid[]) c (id)
  cross join lateral (
    select count(*)::int as count from events e
    where e.project_id = $1 and e.name = $2 and e.contact_id = c.id and e.kind <> 'activity'
  ) e
),
emptied as (
  delete from contact_event_stats s using remaining r
  where s.project_id = $1 and s.name = $2 and s.contact_id = r.contact_id and r.count = 0
)
update contact_event_stats s
set count = r.count, first_at = coalesce((
  select min(e.occurred_at) from events e
  where e.project_id = $1 and e.name = $2 and e.contact_id = r.contact_id and e.kind <> 'activity'), s.first_at)
from remaining r
where s.project_id = $1 and s.name = $2 and s.contact_id = r.contact_id and r.count > 0 and r.count <> s.count`;

/**
 * Statistics still count events of dropped partitions (`EVENT_RETENTION_MONTHS`). By now, the only rows left are of
 * contacts with such events or with events tracked since.
 */
async function forgetDroppedEvents(em: Em, { projectId, name }: DeletedName): Promise<void> {
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const from: string = after;
    after = await inRetriedTransaction(em, async (run) => {
      const contactIds = await queryColumn(run, z.uuid(), pageSql, [projectId, name, from]);
      await execute(run, recountSql, [projectId, name, contactIds]);
      return contactIds.length < batchEvents ? undefined : contactIds.at(-1);
    });
  }
}

interface Batch {
  deleted: number;
  next: Place | undefined;
}

/**
 * Uses separate statements, because each sees everything committed before it began. Once a contact's statistics row is
 * locked, every transaction that counted one of its events has committed both event and count; later ones wait for the
 * lock. So statistics and events agree.
 */
async function deleteBatch(em: Em, { id, projectId, name, xid }: DeletedName, place: Place): Promise<Batch> {
  const wanted = [projectId, name, xid];
  const found =
    place === 'no contact'
      ? await query(em, foundRow, findOfNoContactSql, wanted)
      : await query(em, foundRow, findOfContactsSql, [...wanted, place.contactId, place.occurredAt]);
  if (found.length === 0) return { deleted: 0, next: placeAfter(place, found) };
  const contactIds = [...new Set(found.flatMap((event) => event.contactId ?? []))];
  await execute(em, lockStatisticsSql, [projectId, name, contactIds]);
  const gone = await query(em, deletedRow, deleteSql, [found.map((event) => event.id)]);
  const counted = gone.filter((group) => group.contactId !== null);
  await execute(em, uncountSql, [projectId, name, ...columnsOf(counted, 'contactId', 'count')]);
  await execute(em, touchSql, [projectId, eventInput(name), counted.map((group) => group.contactId)]);
  const lastMadeAt = Math.max(0, ...gone.map((group) => group.lastMadeAt?.getTime() ?? 0));
  const sql = 'update event_deletions set before = greatest(before, $2) where id = $1';
  await execute(em, sql, [id, new Date(lastMadeAt)]);
  const deleted = gone.reduce((sum, group) => sum + group.count, 0);
  return { deleted, next: placeAfter(place, found) };
}

function placeAfter(place: Place, found: z.output<typeof foundRow>[]): Place | undefined {
  const last = found.at(-1);
  if (last === undefined || found.length < batchEvents)
    return place === 'no contact' ? undefined : 'no contact';
  // Starts at the last event itself: others may have the same timestamp.
  return last.contactId === null ? 'no contact' : { contactId: last.contactId, occurredAt: last.occurredAt };
}
