import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';

/**
 * `tracked`: sent by a client. `emitted`: our own, may trigger workflows. `activity`: only for the feed.
 */
export type EventKind = 'tracked' | 'emitted' | 'activity';

/**
 * The journal: one append-only row for everything that happens, written in the transaction of the change it
 * tells about, and streamed to ClickHouse in commit order.
 */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  indexes: [
    { name: 'events_stream', properties: ['xid', 'id'] },
    {
      name: 'events_history',
      expression:
        "create index events_history on events (project_id, name, contact_id, occurred_at) where kind <> 'activity'",
    },
    {
      name: 'events_activity_contact',
      expression:
        "create index events_activity_contact on events (contact_id) where kind = 'activity' and contact_id is not null",
    },
    {
      name: 'events_activity_project',
      expression: "create index events_activity_project on events (project_id, id) where kind = 'activity'",
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    kind: p.text().$type<EventKind>(),
    contactId: p.uuid().nullable(),
    emailId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    workflowId: p.uuid().nullable(),
    data: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    occurredAt: instant(),
    /** The writing transaction: rows below the oldest running one are complete and can be streamed. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    /** Executions of workflows between it and what a person or a client did, from which it follows. */
    hops: p.smallint().default(0),
  },
});

export type EventRow = InferEntity<typeof Event>;

/**
 * How often and when a contact had an event: what segments and conditions read instead of the journal. No other
 * index: a further one, or the changing columns in this one, would cost every event a second index write.
 */
export const ContactEventStat = defineEntity({
  name: 'ContactEventStat',
  tableName: 'contact_event_stats',
  properties: {
    projectId: p.uuid().primary(),
    name: p.text().primary(),
    contactId: p.uuid().primary(),
    count: p.integer(),
    firstAt: instant(),
    lastAt: instant(),
    lastEventId: p.uuid(),
  },
});

/** A name that the project has tracked, of which it may have 10,000 (the trigger `event_names_limit`). */
export const EventName = defineEntity({
  name: 'EventName',
  tableName: 'event_names',
  properties: {
    projectId: p.uuid().primary(),
    name: p.text().primary(),
    createdAt: createdAt(),
  },
});

/** How far a reader of the journal has come. */
export const StreamPosition = defineEntity({
  name: 'StreamPosition',
  tableName: 'stream_positions',
  properties: {
    name: p.text().primary(),
    xid: p.string().columnType('xid8'),
    eventId: p.uuid(),
    updatedAt: instant().defaultRaw('now()'),
  },
});

/**
 * A call that deletes all events of a name; the row stays until they are gone from ClickHouse too. When the events
 * are gone from here, a row of the journal with the same id says so: once the journal's reader is past that one, no
 * deleted row can be on its way to ClickHouse.
 */
export const EventDeletion = defineEntity({
  name: 'EventDeletion',
  tableName: 'event_deletions',
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    /** No deleted event has an id that was made after this instant. */
    before: instant(),
    /** The transaction that recorded the call: the events of later ones came later and stay. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    createdAt: createdAt(),
  },
});
