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

/** A row of `event` but its data. */
export interface InsertedEvent {
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
}

/** @param data JSON */
export function eventLine(row: InsertedEvent, data: string): string {
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
