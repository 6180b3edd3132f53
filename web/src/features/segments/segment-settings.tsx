import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConflictDialog } from '../../ui/conflict-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useRecordForm } from '../../ui/use-record-form.ts';
import { rethrowWithNames } from './rethrow-with-names.ts';
import {
  SegmentForm,
  type SegmentValues,
  segmentBody,
  segmentSchemas,
  toSegmentValues,
} from './segment-form.tsx';

interface SegmentSettingsProps {
  segment: Schema<'Segment'>;
  onPending: (isPending: boolean) => void;
}

async function read(id: string): Promise<Schema<'Segment'>> {
  const { data } = await api.GET('/segments/{id}', { params: { path: { id } } });
  if (data === undefined) throw new Error('The answer is empty');
  return data;
}

export function SegmentSettings({ segment, onPending }: SegmentSettingsProps) {
  const { id, type } = segment;
  const { conflict, ...edit } = useRecordForm<SegmentValues, Schema<'Segment'>>({
    schema: segmentSchemas[type],
    stored: segment,
    toValues: toSegmentValues,
    read: () => read(id),
    async write(values, header) {
      const { data } = await api
        .PATCH('/segments/{id}', { params: { path: { id }, header }, body: segmentBody(type, values) })
        .catch(rethrowWithNames('Tracking must stay on, because the segment is used by'));
      await refresh('/segments');
      say('Saved');
      return data ?? read(id);
    },
  });
  return (
    <>
      <SegmentForm id="segment" type={type} edit={edit} onPending={onPending} />
      <ConflictDialog conflict={conflict} />
    </>
  );
}
