import type { z } from 'zod';
import type { ActivityStats } from '../../analytics/questions/activity-stats.ts';
import type { EventRow } from '../../analytics/questions/event-listings.ts';
import { percentOf } from '../../core/campaign-rates.ts';
import type { UpcomingRow } from '../../db/statements/events/list-upcoming.ts';
import type { activitySchema, eventSchema } from '../schemas/activity.ts';

const addressOf = (contactId: string | null, emails: ReadonlyMap<string, string>) =>
  contactId === null ? null : (emails.get(contactId) ?? null);

/** Client events appear as `{ name, data }`, so that they can't be mistaken for ours. */
export function presentActivity(
  row: EventRow,
  emails: ReadonlyMap<string, string>,
): z.output<typeof activitySchema> {
  return {
    id: row.id,
    type: row.activityType,
    timestamp: row.occurredAt.toISOString(),
    contactId: row.contactId,
    contactEmail: addressOf(row.contactId, emails),
    metadata: row.kind === 'tracked' ? { name: row.name, data: row.data } : row.data,
  };
}

export function presentEvent(
  row: EventRow,
  emails: ReadonlyMap<string, string>,
): z.output<typeof eventSchema> {
  return {
    id: row.id,
    name: row.name,
    data: row.data,
    contactId: row.contactId,
    contactEmail: addressOf(row.contactId, emails),
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

export function presentActivityStats(stats: ActivityStats) {
  return {
    ...stats,
    openRate: percentOf(stats.opened, stats.sent),
    clickRate: percentOf(stats.clicked, stats.sent),
  };
}
