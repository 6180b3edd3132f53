import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say, sayError } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { rethrowWithNames } from './rethrow-with-names.ts';

/** Recount, computation of entries and exits, and deletion. */
export function SegmentActions({ segment }: { segment: Schema<'Segment'> }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const params = { path: { id: segment.id } };
  const recount = async () => {
    const { data } = await api.POST('/segments/{id}/refresh', { params });
    await refresh('/segments');
    if (data) say(quantity(data.memberCount, 'member'));
  };
  const compute = async () => {
    const { data } = await api.POST('/segments/{id}/compute', { params });
    await refresh('/segments');
    if (data) say(`${data.added} joined, ${data.removed} left, ${quantity(data.total, 'member')}`);
  };
  const isTracked = segment.trackMembership && segment.type === 'DYNAMIC';
  return (
    <>
      <Menu
        label="More"
        actions={[
          { label: 'Count the members again', onAction: () => void recount().catch(sayError) },
          ...(isTracked
            ? [{ label: 'Update the members now', onAction: () => void compute().catch(sayError) }]
            : []),
          { label: 'Delete …', isDangerous: true, onAction: () => setIsDeleting(true) },
        ]}
      />
      <DeleteSegment segment={segment} isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </>
  );
}

function DeleteSegment({ segment, ...state }: DialogState & { segment: Schema<'Segment'> }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const remove = async () => {
    await api
      .DELETE('/segments/{id}', { params: { path: { id: segment.id } } })
      .catch(rethrowWithNames('The segment is used by'));
    await leave({ to: '/projects/$projectId/segments', params: { projectId } });
    await refresh('/segments');
    say(`${segment.name} is deleted`);
  };
  return (
    <ConfirmDialog title={`Delete ${segment.name}?`} action="Delete segment" {...state} onConfirm={remove}>
      Its {quantity(segment.memberCount, 'member')} stay contacts. The segment itself can’t be restored.
    </ConfirmDialog>
  );
}
