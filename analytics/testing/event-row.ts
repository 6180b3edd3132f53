import { v7 } from 'uuid';
import { eventLine, type InsertedEvent } from '../tables/event.ts';

export interface EventInsertRow extends InsertedEvent {
  data: Record<string, unknown>;
}

/** A tracked event of an hour ago unless `rest` says otherwise, made now. */
export const eventRow = (projectId: string, rest: Partial<EventInsertRow> = {}): EventInsertRow => ({
  projectId,
  eventId: v7(),
  occurredAt: new Date(Date.now() - 3_600_000),
  name: 'order placed',
  kind: 'tracked',
  activityType: 'event.tracked',
  contactId: v7(),
  emailId: null,
  campaignId: null,
  workflowId: null,
  data: {},
  ...rest,
});

/** A row as a line for `ClickHouse.insert`, identical to the lines that Postgres renders for the streamer. */
export function toEventLine({ data, ...row }: EventInsertRow): string {
  return eventLine(row, JSON.stringify(data));
}
