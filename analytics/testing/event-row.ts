import { v7 } from 'uuid';
import type { EventInsertRow } from '../tables/event.ts';

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
