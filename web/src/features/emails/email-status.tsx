import type { Schema } from '../../api/client.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

type Status = Schema<'Email'>['status'];

const statuses: Record<Status, { label: string; tone: Tone }> = {
  QUEUED: { label: 'Queued', tone: 'neutral' },
  SENDING: { label: 'Sending', tone: 'neutral' },
  UNKNOWN: { label: 'Unconfirmed', tone: 'warn' },
  SENT: { label: 'Sent', tone: 'neutral' },
  DELIVERED: { label: 'Delivered', tone: 'good' },
  OPENED: { label: 'Opened', tone: 'accent' },
  CLICKED: { label: 'Clicked', tone: 'accent' },
  BOUNCED: { label: 'Bounced', tone: 'bad' },
  COMPLAINED: { label: 'Reported as spam', tone: 'bad' },
  SUPPRESSED: { label: 'Withheld', tone: 'warn' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
  FAILED: { label: 'Failed', tone: 'bad' },
};

// as: the keys of the literal above.
export const statusOptions = (Object.keys(statuses) as Status[]).map((value) => ({
  value,
  label: statuses[value].label,
}));

export function EmailStatus({ status }: { status: Status }) {
  const { label, tone } = statuses[status];
  return <Badge tone={tone}>{label}</Badge>;
}
