import type { Schema } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';

export function DomainBadge({ domain }: { domain: Schema<'Domain'> }) {
  return domain.verified ? <Badge tone="good">Verified</Badge> : <Badge tone="warn">Waits for DNS</Badge>;
}
