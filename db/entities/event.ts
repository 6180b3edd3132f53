import { defineEntity, p } from '@mikro-orm/core';
import type { EventKind } from '../../core/activity-types.ts';
import { createdAt, instant, primaryId } from './columns.ts';

const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'events',
  indexes: [
    { name: 'events_stream', properties: ['xid', 'id'] },
    {
      name: 'events_history',
      properties: ['projectId', 'name', 'contactId', 'occurredAt'],
      where: "kind <> 'activity'",
    },
    {
      name: 'events_activity_contact',
      properties: ['contactId'],
      where: "kind = 'activity' and contact_id is not null",
    },
    { name: 'events_activity_project', properties: ['projectId', 'id'], where: "kind = 'activity'" },
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
    /** Workflow executions between this event and the user or client action that caused it. */
    hops: p.smallint().default(0),
  },
});

/**
 * The journal: an append-only row for every event, written in the same transaction as the change and streamed to
 * ClickHouse in commit order. Partitioned by id, one month each (`db/partitioned-table.ts`).
 */
export class Event extends EventSchema.class {}
EventSchema.setClass(Event);

const ContactEventStatSchema = defineEntity({
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

/**
 * How often and when a contact had an event; segments and conditions read this instead of the journal. Another index,
 * or volatile columns in this one, would cost a second index write per event.
 */
export class ContactEventStat extends ContactEventStatSchema.class {}
ContactEventStatSchema.setClass(ContactEventStat);

const EventNameSchema = defineEntity({
  name: 'EventName',
  tableName: 'event_names',
  properties: {
    projectId: p.uuid().primary(),
    name: p.text().primary(),
    createdAt: createdAt(),
  },
});

/** An event name the project has tracked. At most 10,000 per project (db/functions/limit-project-rows.sql). */
export class EventName extends EventNameSchema.class {}
EventNameSchema.setClass(EventName);

const StreamPositionSchema = defineEntity({
  name: 'StreamPosition',
  tableName: 'stream_positions',
  properties: {
    name: p.text().primary(),
    xid: p.string().columnType('xid8'),
    eventId: p.uuid(),
    /** Rows that ClickHouse refused: it has them without their data, or not at all. */
    refusedRows: p.integer().default(0),
    refusedAt: instant().nullable(),
    updatedAt: instant().defaultRaw('now()'),
  },
});

export class StreamPosition extends StreamPositionSchema.class {}
StreamPositionSchema.setClass(StreamPosition);

const EventDeletionSchema = defineEntity({
  name: 'EventDeletion',
  tableName: 'event_deletions',
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    /** All deleted events have ids generated before this instant. */
    before: instant(),
    /** The transaction that recorded the request; events of later transactions are kept. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    createdAt: createdAt(),
  },
});

/**
 * A request to delete all events of a name. The row stays until ClickHouse has deleted them too. Once they are deleted
 * from Postgres, a journal row with the same id is written: when the stream has passed it, no deleted event can still
 * reach ClickHouse.
 */
export class EventDeletion extends EventDeletionSchema.class {}
EventDeletionSchema.setClass(EventDeletion);
