import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A recorded call that deletes the events of a name. */
export interface EventDeletionRecord {
  id: string;
  projectId: string;
  name: string;
  /** No event that was deleted has an id that was made after this instant. */
  before: Date;
  /** The transaction that recorded the call, a `xid8` as text: events of later ones stay. */
  xid: string;
}

const columns = 'id, project_id as "projectId", name, before, xid::text as xid';

/** The workflow takes over when the call has not come to its end after this time. */
const callTakesAtMost = `interval '2 minutes'`;

/**
 * Records that all events of a name are to go, and orders the workflow that sees to it whatever becomes of the call.
 *
 * @param id of the deletion, new.
 */
export async function recordEventDeletion(
  em: Em,
  id: string,
  projectId: string,
  name: string,
): Promise<EventDeletionRecord> {
  const [row] = await sql<EventDeletionRecord>(
    em,
    `with command as (
       insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
       values (uuidv7(), 'events.delete', $1, $2, now() + ${callTakesAtMost})
     )
     insert into event_deletions (id, project_id, name, before) values ($1, $2, $3, clock_timestamp())
     returning ${columns}`,
    [id, projectId, name],
  );
  if (row === undefined) throw new Error('The deletion was not recorded');
  return row;
}

/** @returns undefined when the deletion was closed. */
export async function findEventDeletion(em: Em, id: string): Promise<EventDeletionRecord | undefined> {
  const [row] = await sql<EventDeletionRecord>(em, `select ${columns} from event_deletions where id = $1`, [
    id,
  ]);
  return row;
}

/**
 * Journals that the events are gone from here, once. In a transaction of its own behind those that deleted them, so
 * that the row stands behind every deleted one.
 */
export async function journalEventDeletion(em: Em, deletion: EventDeletionRecord): Promise<void> {
  await sql(
    em,
    `insert into events (id, project_id, name, kind, data, occurred_at)
     values ($1, $2, 'events.deleted', 'activity', jsonb_build_object('name', $3::text), now())
     on conflict (id) do nothing`,
    [deletion.id, deletion.projectId, deletion.name],
  );
}

/** Has the workflow start at once. */
export async function hurryEventDeletion(em: Em, id: string): Promise<void> {
  await sql(
    em,
    `update outbox set next_attempt_at = now() where subject_id = $1 and kind = 'events.delete'`,
    [id],
  );
}

/** How far a deletion has come. */
export interface EventDeletionProgress {
  /** The events are gone from here. */
  isJournaled: boolean;
  /** The journal's reader is past all that was deleted: nothing of it can still arrive in ClickHouse. */
  isStreamed: boolean;
}

export async function readEventDeletionProgress(em: Em, id: string): Promise<EventDeletionProgress> {
  const [row] = await sql<EventDeletionProgress>(
    em,
    `select true as "isJournaled",
       coalesce((select (p.xid, p.event_id) >= (e.xid, e.id) from stream_positions p where p.name = 'clickhouse'), false)
         as "isStreamed"
     from events e where e.id = $1`,
    [id],
  );
  return row ?? { isJournaled: false, isStreamed: false };
}

/** Forgets a deletion that has been carried out everywhere. */
export async function closeEventDeletion(em: Em, id: string): Promise<void> {
  await sql(em, 'delete from event_deletions where id = $1', [id]);
}

/** A row of the journal. */
export interface JournaledEvent {
  eventId: string;
  projectId: string;
  name: string;
  kind: 'tracked' | 'emitted';
  contactId: string | null;
  emailId: string | null;
  campaignId: string | null;
  workflowId: string | null;
  /** The JSON text. */
  data: string;
  occurredAt: Date;
}

/**
 * The events of the name that were not deleted although their ids are no younger: of calls that were under way
 * meanwhile, or whose clock is behind. By id.
 *
 * @param afterId the last one of the page before, undefined for the first page.
 */
export function listKeptEvents(
  em: Em,
  deletion: EventDeletionRecord,
  afterId: string | undefined,
  limit: number,
): Promise<JournaledEvent[]> {
  return sql<JournaledEvent>(
    em,
    `select id as "eventId", project_id as "projectId", name, kind, contact_id as "contactId", email_id as "emailId",
       campaign_id as "campaignId", workflow_id as "workflowId", data::text as data, occurred_at as "occurredAt"
     from events
     where project_id = $1 and name = $2 and kind <> 'activity' and uuid_extract_timestamp(id) <= $3
       and ($4::uuid is null or id > $4)
     order by id
     limit $5`,
    [deletion.projectId, deletion.name, deletion.before, afterId ?? null, limit],
  );
}
