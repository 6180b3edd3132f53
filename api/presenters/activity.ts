import type { ActivityStats } from '../../analytics/questions/activity-stats.ts';
import type { EventRow } from '../../analytics/questions/event-listings.ts';
import { percentOf } from '../../core/campaign-rates.ts';
import type { UpcomingRow } from '../../db/statements/events/list-upcoming.ts';
import { activitySchema, eventSchema } from '../schemas/activity.ts';
import { present } from './present.ts';

const addressOf = (contactId: string | null, emails: ReadonlyMap<string, string>) =>
  contactId === null ? null : (emails.get(contactId) ?? null);

/** Client events appear as `{ name, data }`, so that they can't be mistaken for ours. */
export const presentActivity = (row: EventRow, emails: ReadonlyMap<string, string>) =>
  present(activitySchema, {
    ...row,
    type: row.activityType,
    timestamp: row.occurredAt,
    contactEmail: addressOf(row.contactId, emails),
    metadata: row.kind === 'tracked' ? { name: row.name, data: row.data } : row.data,
  });

export const presentEvent = (row: EventRow, emails: ReadonlyMap<string, string>) =>
  present(eventSchema, {
    ...row,
    contactEmail: addressOf(row.contactId, emails),
    createdAt: row.occurredAt,
  });

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
