import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { FormSelect } from '../../ui/form-select.tsx';
import { say } from '../../ui/toast.tsx';
import { roleOptions } from './roles.ts';

const schema = z.object({
  email: addressSchema('Enter an email address.'),
  role: z.enum(['OWNER', 'ADMIN', 'MEMBER']),
});

interface InviteDialogProps extends DialogState {
  projectId: string;
  isOwner: boolean;
}

export function InviteDialog({ projectId, isOwner, ...state }: InviteDialogProps) {
  return (
    <FormDialog<z.infer<typeof schema>>
      {...state}
      title="Invite a member"
      action="Invite"
      schema={schema}
      defaultValues={{ email: '', role: 'MEMBER' }}
      save={async (body, finish) => {
        const { data } = await api.POST('/projects/{id}/members', {
          params: { path: { id: projectId } },
          body,
        });
        await refresh('/projects/{id}/members');
        say(
          data?.member ? `${body.email} is a member now.` : `An invitation to ${body.email} is on its way.`,
        );
        await finish();
      }}
    >
      {({ control }) => (
        <>
          <FormField control={control} name="email" label="Email" type="email" autoFocus />
          <FormSelect
            control={control}
            name="role"
            label="Role"
            options={isOwner ? roleOptions : roleOptions.filter(({ value }) => value !== 'OWNER')}
          />
        </>
      )}
    </FormDialog>
  );
}
