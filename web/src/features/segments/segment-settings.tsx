import { api, type Schema } from '../../api/client.ts';
import { useIfMatch } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { say } from '../../ui/toast.tsx';
import { rethrowWithNames } from './rethrow-with-names.ts';
import { SegmentForm, type SegmentValues } from './segment-form.tsx';

interface SegmentSettingsProps {
  segment: Schema<'Segment'>;
  onPending: (isPending: boolean) => void;
}

export function SegmentSettings({ segment, onPending }: SegmentSettingsProps) {
  const saveSeen = useIfMatch(segment, 'this segment');
  const save = async (body: SegmentValues) => {
    await saveSeen((header) =>
      api.PATCH('/segments/{id}', { params: { path: { id: segment.id }, header }, body }),
    ).catch(rethrowWithNames('Tracking must stay on, because the segment is used by'));
    await refresh('/segments');
    say('Saved');
  };
  return (
    <SegmentForm id="segment" type={segment.type} segment={segment} onSave={save} onPending={onPending} />
  );
}
