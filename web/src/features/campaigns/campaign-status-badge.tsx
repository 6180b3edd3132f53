import type { Schema } from '../../api/client.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

type Status = Schema<'Campaign'>['status'];

export const statusLabels: Record<Status, string> = {
  DRAFT: 'Draft',
  SCHEDULED: 'Scheduled',
  SENDING: 'Sending',
  SENT: 'Sent',
  CANCELLED: 'Cancelled',
};

const tones: Record<Status, Tone> = {
  DRAFT: 'neutral',
  SCHEDULED: 'warn',
  SENDING: 'accent',
  SENT: 'good',
  CANCELLED: 'neutral',
};

export function CampaignStatusBadge({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{statusLabels[status]}</Badge>;
}
