import { Badge } from '../../ui/badge.tsx';

export function WorkflowBadge({ enabled }: { enabled: boolean }) {
  return enabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>;
}
