import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
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
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { name: '' },
    save: async (body) => {
      const { data } = await api.POST('/users/@me/projects', { body });
      await refresh('/users/@me/projects');
      onClose();
      if (data) await navigate({ to: '/projects/$projectId', params: { projectId: data.id } });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <FormField
        control={form.control}
        name="name"
        label="Name"
        hint="Each project has its own contacts, keys, domains and members."
        autoFocus
      />
      <ErrorNote error={failure} className="mt-4" />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Create the project
        </Button>
      </DialogActions>
    </form>
  );
}
