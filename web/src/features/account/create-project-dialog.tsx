import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';

const schema = z.object({ name: z.string().trim().min(1, 'Give the project a name.') });

export function CreateProjectDialog(state: DialogState) {
  return (
    <FormDialog
      {...state}
      title="New project"
      action="Create the project"
      schema={schema}
      defaultValues={{ name: '' }}
      save={async (body, finish) => {
        const { data } = await api.POST('/users/@me/projects', { body });
        await refresh('/users/@me/projects');
        await finish(data && { to: '/projects/$projectId', params: { projectId: data.id } });
      }}
    >
      {({ control }) => (
        <FormField
          control={control}
          name="name"
          label="Name"
          hint="Each project has its own contacts, keys, domains and members."
          autoFocus
        />
      )}
    </FormDialog>
  );
}
