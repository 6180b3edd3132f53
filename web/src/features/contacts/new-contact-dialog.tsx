import { useNavigate } from '@tanstack/react-router';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';

const schema = z.object({ email: z.string().trim().min(3, 'Enter an address'), subscribed: z.boolean() });

export function NewContactDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Add a contact" isOpen={isOpen} onClose={onClose}>
      <NewContact onClose={onClose} />
    </Dialog>
  );
}

function NewContact({ onClose }: { onClose: () => void }) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const edit = useApiForm({
    schema,
    defaultValues: { email: '', subscribed: true },
    async save({ email, subscribed }) {
      // An existing contact stays unchanged: adding it here must not undo an opt-out.
      const { data: known } = await api.POST('/contacts/lookup', { body: { emails: [email] } });
      const isKnown = (known?.found.length ?? 0) > 0;
      const { data } = await api.POST('/contacts', { body: isKnown ? { email } : { email, subscribed } });
      if (!data) return;
      await refresh('/contacts');
      say(isKnown ? `${data.email} was a contact already` : `${data.email} is added`);
      onClose();
      await navigate({
        to: '/projects/$projectId/contacts/$contactId',
        params: { projectId, contactId: data.id },
      });
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Add contact" onCancel={onClose}>
      <FormField control={control} name="email" label="Address" type="email" autoFocus />
      <Controller
        control={control}
        name="subscribed"
        render={({ field }) => (
          <Checkbox isSelected={field.value} onChange={field.onChange}>
            Subscribed to marketing
          </Checkbox>
        )}
      />
    </DialogForm>
  );
}
