import type { Schema } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';

export function SubscriptionBadge({ contact }: { contact: Schema<'Contact'> }) {
  if (contact.suppressionReason === 'bounce') return <Badge tone="bad">Bounced</Badge>;
  if (contact.suppressionReason === 'complaint') return <Badge tone="warn">Reported spam</Badge>;
  if (contact.snoozedUntil !== null) return <Badge tone="warn">Snoozed</Badge>;
  return contact.subscribed ? <Badge tone="good">Subscribed</Badge> : <Badge>Unsubscribed</Badge>;
}
