import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { Select } from '../../ui/select.tsx';
import { say } from '../../ui/toast.tsx';
import { roleOptions } from './roles.ts';

const schema = z.object({
  email: z.email('Enter an email address.'),
  role: z.enum(['OWNER', 'ADMIN', 'MEMBER']),
});

interface InviteDialogProps {
  projectId: string;
  isOwner: boolean;
  isOpen: boolean;
  onClose: () => void;
}

export function InviteDialog(props: InviteDialogProps) {
  return (
    <Dialog title="Invite a member" isOpen={props.isOpen} onClose={props.onClose}>
      <InviteForm {...props} />
    </Dialog>
  );
}

function InviteForm({ projectId, isOwner, onClose }: InviteDialogProps) {
  const edit = useApiForm<z.infer<typeof schema>>({
    schema,
    defaultValues: { email: '', role: 'MEMBER' },
    save: async (body) => {
      const { data } = await api.POST('/projects/{id}/members', {
        params: { path: { id: projectId } },
        body,
      });
      await refresh('/projects/{id}/members');
      say(data?.member ? `${body.email} is a member now.` : `An invitation to ${body.email} is on its way.`);
      onClose();
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Invite" onCancel={onClose}>
      <FormField control={control} name="email" label="Email" type="email" autoFocus />
      <Controller
        control={control}
        name="role"
        render={({ field, fieldState }) => (
          <Select
            label="Role"
            options={isOwner ? roleOptions : roleOptions.filter(({ value }) => value !== 'OWNER')}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
    </DialogForm>
  );
}
