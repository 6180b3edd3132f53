import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { carryInput, useApiForm } from '../../ui/form.ts';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { say } from '../../ui/toast.tsx';
import { useIsShown, useLeave } from '../../ui/use-leave.ts';
import {
  SegmentForm,
  type SegmentValues,
  segmentBody,
  segmentSchemas,
  toSegmentValues,
} from './segment-form.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/segments/new');

const types = [
  { value: 'DYNAMIC', label: 'By condition', note: 'Everyone who meets it, always up to date' },
  { value: 'STATIC', label: 'By hand', note: 'Addresses that you add and remove' },
] as const;

export function NewSegmentPage() {
  const projectId = useProjectId();
  const { type = 'DYNAMIC' } = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useLeave();
  const isShown = useIsShown();
  const [isPending, setIsPending] = useState(false);
  const edit = useApiForm<SegmentValues>({
    schema: segmentSchemas[type],
    defaultValues: toSegmentValues(),
    async save(values, { getValues }) {
      const entered = getValues();
      const body = segmentBody(type, values);
      // Checked first, because its errors name the place in the condition; those of the create call are one sentence.
      if (body.condition) await api.POST('/segments/preview', { body: { condition: body.condition } });
      const { data } = await api.POST('/segments', { body: { ...body, type } });
      if (!data) return;
      await refresh('/segments');
      say(`“${data.name}” created`);
      if (!isShown()) return;
      await leave({
        to: '/projects/$projectId/segments/$segmentId',
        params: { projectId, segmentId: data.id },
        search: carryInput(data.id, getValues(), entered) ? { tab: 'settings' } : {},
      });
    },
  });
  return (
    <Page
      title="New segment"
      back={{ label: 'Segments', to: '/projects/$projectId/segments', params: { projectId } }}
      actions={
        <Button look="primary" type="submit" form="segment" isPending={isPending}>
          Create segment
        </Button>
      }
    >
      <Select
        label="Membership"
        className="max-w-xl"
        options={types}
        value={type}
        onChange={(chosen) => void navigate({ search: { type: chosen }, replace: true })}
      />
      <SegmentForm id="segment" type={type} edit={edit} onPending={setIsPending} />
    </Page>
  );
}
