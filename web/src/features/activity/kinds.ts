import { z } from 'zod';

/** Filters of the feed, each with the API's activity types. */
const kinds = {
  sent: { label: 'Sent and delivered', types: ['email.sent', 'email.delivered'] },
  opened: { label: 'Opens', types: ['email.opened'] },
  clicked: { label: 'Clicks', types: ['email.clicked'] },
  bounced: { label: 'Bounces and complaints', types: ['email.bounced', 'email.complained'] },
  received: { label: 'Emails received', types: ['email.received'] },
  tracked: { label: 'Tracked events', types: ['event.tracked'] },
  subscriptions: {
    label: 'Subscriptions',
    types: ['contact.subscribed', 'contact.unsubscribed', 'contact.snoozed'],
  },
  campaigns: { label: 'Campaigns', types: ['campaign.scheduled', 'campaign.sent'] },
  workflows: { label: 'Workflows', types: ['workflow.started', 'workflow.completed'] },
} as const;

// as: the keys of the literal above.
const names = Object.keys(kinds) as (keyof typeof kinds)[];

export const kindSchema = z.enum(names);
export type Kind = z.output<typeof kindSchema>;

export const kindOptions = names.map((value) => ({ value, label: kinds[value].label }));

/** In the API's format: comma-separated. */
export const typesOf = (kind: Kind): string => kinds[kind].types.join(',');
