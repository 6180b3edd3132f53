import { Badge } from '../../ui/badge.tsx';
import { type ExecutionStatus, statusLooks } from './execution-status.ts';

export function ExecutionBadge({ status }: { status: ExecutionStatus }) {
  const { label, tone } = statusLooks[status];
  return <Badge tone={tone}>{label}</Badge>;
}
