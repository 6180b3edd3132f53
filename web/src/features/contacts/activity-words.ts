import type { Schema } from '../../api/client.ts';
import { reasonWords } from '../activity/activity-sentence.ts';

type Activity = Pick<Schema<'Activity'>, 'type' | 'metadata'>;

const words: Readonly<Record<string, string>> = {
  'email.sent': 'Email sent',
  'email.delivered': 'Email delivered',
  'email.opened': 'Email opened',
  'email.clicked': 'Link clicked',
  'email.bounced': 'Email bounced',
  'email.complained': 'Email reported as spam',
  'email.received': 'Email received from them',
  'contact.subscribed': 'Subscribed',
  'contact.unsubscribed': 'Unsubscribed',
  'contact.snoozed': 'Snoozed',
  'workflow.started': 'Workflow started',
  'workflow.completed': 'Workflow completed',
};

/** Explains the kind of bounce if the mail server gave no reason. */
const bounceWords: Readonly<Record<string, string>> = {
  Permanent: 'hard bounce: the address does not work',
  Transient: 'soft bounce: the mailbox is full or its server is busy',
  Undetermined: 'its server gave no reason',
  Suppressed: '',
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The activity in words, without naming the contact. */
export function activityWords({ type, metadata }: Activity): string {
  if (type === 'event.tracked') return text(metadata.name) || text(metadata.eventName) || 'Event';
  if (type === 'email.bounced' && metadata.bounceType === 'Suppressed') return 'Email withheld';
  return words[type] ?? type;
}

/** "total: 49.9 · currency: EUR" */
const eventData = (data: unknown): string =>
  typeof data !== 'object' || data === null
    ? ''
    : Object.entries(data)
        .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
        .join(' · ');

/** The email, link, workflow, reason or data of an event; empty if it has none. */
export function activityDetail({ type, metadata }: Activity): string {
  if (type === 'event.tracked') return eventData(metadata.data);
  const reason = text(metadata.reason);
  const bounceType = type === 'email.bounced' ? text(metadata.bounceType) : '';
  const why = reasonWords[reason] ?? (reason || (bounceWords[bounceType] ?? bounceType));
  const subject = text(metadata.subject) || text(metadata.workflowName);
  const link = type === 'email.clicked' ? text(metadata.link) : '';
  return [subject, link, why].filter((part) => part !== '').join(' · ');
}
