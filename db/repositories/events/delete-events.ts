import { retrySerialization } from '../../batching/retry-serialization.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import type { EventDeletionRecord } from './event-deletions.ts';
import { forgetEventName } from './event-names.ts';

/** Events of a transaction: its locks on statistics hold up whoever tracks the same event of the same contact. */
const batchEvents = 5_000;

/** A place among the events of a name. Those of no contact come last. */
type Place = { contactId: string; occurredAt: Date | '-infinity' } | 'no contact';
const start: Place = { contactId: '00000000-0000-0000-0000-000000000000', occurredAt: '-infinity' };

interface FoundEvent {
  id: string;
  contactId: string | null;
  occurredAt: Date;
}

const findSql = (where: string) => `
select id, contact_id as "contactId", occurred_at as "occurredAt"
from events
where project_id = $1 and name = $2 and kind <> 'activity' and xid < $3::xid8 and ${where}
order by contact_id, occurred_at
limit ${batchEvents}`;

const findOfContactsSql = findSql('(contact_id, occurred_at) >= ($4::uuid, $5::timestamptz)');
const findOfNoContactSql = findSql('contact_id is null');

/** In the order in which events are counted, so that the two don't deadlock. */
const lockStatisticsSql = `
select from contact_event_stats
where project_id = $1 and name = $2 and contact_id = any($3::uuid[])
order by project_id, name, contact_id
for update`;

/** Another call may have deleted some of them meanwhile. */
const deleteSql = `
with gone as (delete from events where id = any($1::uuid[]) returning contact_id, uuid_extract_timestamp(id) as made_at)
select contact_id as "contactId", count(*)::int as count, max(made_at) as "lastMadeAt" from gone group by contact_id`;

interface DeletedEvents {
  contactId: string | null;
  count: number;
  lastMadeAt: Date | null;
}

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

/**
 * Deletes the events of the name that were committed before the deletion was recorded, and takes them out of the
 * statistics. In transactions of its own, a batch each, so `em` must not be in one; whatever ends it midway, another
 * run goes on. Events that are tracked meanwhile stay and stay counted.
 *
 * @returns how many events this run has deleted.
 */
export async function deleteEvents(em: Em, deletion: EventDeletionRecord): Promise<number> {
  let deleted = 0;
  for (let place: Place | undefined = start; place !== undefined; ) {
    const from: Place = place;
    const batch: Batch = await retrySerialization(() =>
      em.fork().transactional((transaction) => deleteBatch(transaction, deletion, from)),
    );
    deleted += batch.deleted;
    place = batch.next;
  }
  await forgetEventName(em.fork(), deletion.projectId, deletion.name);
  return deleted;
}

interface Batch {
  deleted: number;
  /** Where to go on; undefined at the end. */
  next: Place | undefined;
}

/**
 * The statements see each what was committed before it began. Once the statistics of a contact are locked, whoever
 * counted an event of it has committed both, and whoever is about to waits and then counts on what is left here: so
 * in between statistics and events agree, and stay so.
 */
async function deleteBatch(
  em: Em,
  { id, projectId, name, xid }: EventDeletionRecord,
  place: Place,
): Promise<Batch> {
  const found =
    place === 'no contact'
      ? await sql<FoundEvent>(em, findOfNoContactSql, [projectId, name, xid])
      : await sql<FoundEvent>(em, findOfContactsSql, [
          projectId,
          name,
          xid,
          place.contactId,
          place.occurredAt,
        ]);
  if (found.length === 0) return { deleted: 0, next: placeAfter(place, found) };
  const contactIds = [...new Set(found.flatMap((event) => event.contactId ?? []))];
  await sql(em, lockStatisticsSql, [projectId, name, contactIds]);
  const gone = await sql<DeletedEvents>(em, deleteSql, [found.map((event) => event.id)]);
  const counted = gone.filter((group) => group.contactId !== null);
  await sql(em, uncountSql, [
    projectId,
    name,
    counted.map((group) => group.contactId),
    counted.map((group) => group.count),
  ]);
  const lastMadeAt = Math.max(0, ...gone.map((group) => group.lastMadeAt?.getTime() ?? 0));
  await sql(em, 'update event_deletions set before = greatest(before, $2) where id = $1', [
    id,
    new Date(lastMadeAt),
  ]);
  const deleted = gone.reduce((sum, group) => sum + group.count, 0);
  return { deleted, next: placeAfter(place, found) };
}

function placeAfter(place: Place, found: FoundEvent[]): Place | undefined {
  const last = found.at(-1);
  if (last === undefined || found.length < batchEvents)
    return place === 'no contact' ? undefined : 'no contact';
  // The place of the last one itself: there may be others at the same instant.
  return last.contactId === null ? 'no contact' : { contactId: last.contactId, occurredAt: last.occurredAt };
}
