import type { PlannedEvent } from '../mail/records.ts';

type Behavior = 'success' | 'bounce' | 'suppressionlist' | 'complaint' | 'opened' | 'clicked';

const simulatorAddress = /^([^@+]+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i;

/**
 * Plans a message's events: always Send, then what each recipient's mailbox does. Addresses of the SES mailbox
 * simulator (success, bounce, complaint, ooto, suppressionlist; a `+label` changes nothing) behave as SES documents
 * them; beyond SES, `opened@` and `clicked@` open and click. Every other address accepts the message.
 * @param recipients bare addresses
 * @param firstLink first link of the HTML, called only when a recipient clicks; `null` plans no click
 */
export function planEvents(recipients: readonly string[], firstLink: () => string | null): PlannedEvent[] {
  const having = (...wanted: Behavior[]): string[] =>
    recipients.filter((address) => wanted.includes(behaviorOf(address)));
  const events: PlannedEvent[] = [{ type: 'Send' }];
  const delivered = having('success', 'complaint', 'opened', 'clicked');
  if (delivered.length > 0) events.push({ type: 'Delivery', recipients: delivered });
  const bounced = having('bounce');
  if (bounced.length > 0) events.push(permanentBounce(bounced, 'General'));
  const suppressed = having('suppressionlist');
  if (suppressed.length > 0) events.push(permanentBounce(suppressed, 'OnAccountSuppressionList'));
  const complaining = having('complaint');
  if (complaining.length > 0) events.push({ type: 'Complaint', recipients: complaining });
  if (having('opened', 'clicked').length > 0) events.push({ type: 'Open' });
  const link = having('clicked').length > 0 ? firstLink() : null;
  if (link !== null) events.push({ type: 'Click', link });
  return events;
}

function permanentBounce(
  recipients: string[],
  bounceSubType: 'General' | 'OnAccountSuppressionList',
): PlannedEvent {
  return { type: 'Bounce', bounceType: 'Permanent', bounceSubType, recipients };
}

function behaviorOf(address: string): Behavior {
  const mailbox = simulatorAddress.exec(address)?.[1]?.toLowerCase();
  switch (mailbox) {
    case 'bounce':
    case 'suppressionlist':
    case 'complaint':
    case 'opened':
    case 'clicked':
      return mailbox;
    default:
      return 'success';
  }
}
