import type { Schema } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';

export function SegmentBadges({ segment }: { segment: Schema<'Segment'> }) {
  return (
    <>
      <Badge>{segment.type === 'DYNAMIC' ? 'By condition' : 'By hand'}</Badge>
      {segment.trackMembership && <Badge tone="accent">Tracked</Badge>}
    </>
  );
}
