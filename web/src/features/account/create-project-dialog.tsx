import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';

const schema = z.object({ name: z.string().trim().min(1, 'Give the project a name.') });

export function CreateProjectDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="New project" isOpen={isOpen} onClose={onClose}>
      <ProjectForm onClose={onClose} />
    </Dialog>
  );
}

function ProjectForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const edit = useApiForm({
    schema,
    defaultValues: { name: '' },
    save: async (body) => {
      const { data } = await api.POST('/users/@me/projects', { body });
      await refresh('/users/@me/projects');
      onClose();
      if (data) await navigate({ to: '/projects/$projectId', params: { projectId: data.id } });
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Create the project" onCancel={onClose}>
      <FormField
        control={control}
        name="name"
        label="Name"
        hint="Each project has its own contacts, keys, domains and members."
        autoFocus
      />
    </DialogForm>
  );
}
