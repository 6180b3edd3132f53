import { type InsertTarget, tsvValue } from '../client/statement.ts';
import { toInstantParameter, zeroUuid } from '../question.ts';

/** The columns of `event` in the order of a line. `data` is last, so that it can be found without parsing. */
export const eventColumns = [
  'project_id',
  'event_id',
  'occurred_at',
  'name',
  'kind',
  'activity_type',
  'contact_id',
  'email_id',
  'campaign_id',
  'workflow_id',
  'data',
] as const;

export type EventColumn = (typeof eventColumns)[number];

export const eventTable: InsertTarget = { table: 'event', columns: eventColumns };

/** A row to insert. */
export interface EventInsertRow {
  projectId: string;
  eventId: string;
  occurredAt: Date;
  name: string;
  kind: 'tracked' | 'emitted' | 'activity';
  /** Empty: not in the activity feed. */
  activityType: string;
  contactId: string | null;
  emailId: string | null;
  campaignId: string | null;
  workflowId: string | null;
  data: Record<string, unknown>;
}

/** A row as a line for `ClickHouse.insert`. The streamer has Postgres write the same lines. */
export function toEventLine({ data, ...row }: EventInsertRow): string {
  return eventLine(row, JSON.stringify(data));
}

/** As `toEventLine`, for data that come as a JSON text and are stored as they are written. */
export function eventLine(row: Omit<EventInsertRow, 'data'>, data: string): string {
  return [
    row.projectId,
    row.eventId,
    toInstantParameter(row.occurredAt),
    tsvValue(row.name),
    row.kind,
    tsvValue(row.activityType),
    row.contactId ?? zeroUuid,
    row.emailId ?? zeroUuid,
    row.campaignId ?? zeroUuid,
    row.workflowId ?? zeroUuid,
    tsvValue(data),
  ].join('\t');
}

/** The same line with `{}` for the data, for a row that is refused because of them. */
export function withoutEventData(line: string): string {
  return `${line.slice(0, line.lastIndexOf('\t') + 1)}{}`;
}
