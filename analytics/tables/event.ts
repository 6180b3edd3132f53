import { toInstantParameter, zeroUuid } from '../client/question.ts';
import { type InsertTarget, tsvValue } from '../client/statement.ts';

/** Columns of `event` in the order of an insert line. `data` is last, so that it can be found without parsing. */
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

export const eventKinds = ['tracked', 'emitted', 'activity'] as const;

export interface EventInsertRow {
  projectId: string;
  eventId: string;
  occurredAt: Date;
  name: string;
  kind: (typeof eventKinds)[number];
  activityType: string;
  contactId: string | null;
  emailId: string | null;
  campaignId: string | null;
  workflowId: string | null;
  data: Record<string, unknown>;
}

/**
 * A row as a line for `ClickHouse.insert`, identical to the lines that Postgres renders for the streamer.
 * @internal for inserts in tests
 */
export function toEventLine({ data, ...row }: EventInsertRow): string {
  return eventLine(row, JSON.stringify(data));
}

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

export function withoutEventData(line: string): string {
  return `${line.slice(0, line.lastIndexOf('\t') + 1)}{}`;
}
