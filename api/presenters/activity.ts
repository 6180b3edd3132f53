import type { z } from 'zod';
import type { EventRow } from '../../analytics/questions/event-page.ts';
import type { UpcomingRow } from '../../db/repositories/events/upcoming.ts';
import type { activitySchema, eventSchema } from '../schemas/activity.ts';

/** A row of the feed; what a client tracked is shown with its name, so that it can't be mistaken for our own. */
export function presentActivity(
  row: EventRow,
  emails: ReadonlyMap<string, string>,
): z.output<typeof activitySchema> {
  return {
    id: row.id,
    type: row.activityType,
    timestamp: row.occurredAt.toISOString(),
    contactId: row.contactId,
    contactEmail: row.contactId === null ? null : (emails.get(row.contactId) ?? null),
    metadata: row.kind === 'tracked' ? { name: row.name, data: row.data } : row.data,
  };
}

export function presentEvent(row: EventRow): z.output<typeof eventSchema> {
  return {
    id: row.id,
    name: row.name,
    data: row.data,
    contactId: row.contactId,
    emailId: row.emailId,
    createdAt: row.occurredAt.toISOString(),
  };
}

export function presentUpcoming(row: UpcomingRow) {
  const { id, type, at, contactId, contactEmail, name, workflowId, stepId } = row;
  return {
    id,
    type,
    timestamp: at.toISOString(),
    contactId,
    contactEmail,
    metadata:
      type === 'campaign.scheduled'
        ? { campaignId: id, campaignName: name }
        : { executionId: id, workflowId, workflowName: name, stepId },
  };
}
