import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EventKind } from '../../core/activity-types.ts';
import { createdAt, instant, primaryId } from './columns.ts';

/**
 * The journal: an append-only row for every event, written in the same transaction as the change and streamed to
 * ClickHouse in commit order. Partitioned by id, one month each (`db/partitioned-table.ts`).
 */
export const Event = defineEntity({
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

export type Event = InferEntity<typeof Event>;

/**
 * A request to delete all events of a name. The row stays until ClickHouse has deleted them too. Once they are deleted
 * from Postgres, a journal row with the same id is written: when the stream has passed it, no deleted event can still
 * reach ClickHouse.
 */
export const EventDeletion = defineEntity({
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

export type EventDeletion = InferEntity<typeof EventDeletion>;
