import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { refreshContacts } from './refresh-contacts.ts';

const notAnAddress = 'Enter an address, such as ada@example.com';
const schema = z.object({
  email: addressSchema(notAnAddress),
  subscribed: z.boolean(),
});

export function NewContactDialog(state: DialogState) {
  const projectId = useProjectId();
  return (
    <FormDialog
      {...state}
      title="Add a contact"
      action="Add contact"
      schema={schema}
      defaultValues={{ email: '', subscribed: true }}
      save={async ({ email, subscribed }, finish, form) => {
        // Leaves an existing contact unchanged: adding it here must not undo an opt-out.
        const isKnown = await isContact(email);
        if (isKnown === undefined) {
          form.setError('email', { message: notAnAddress }, { shouldFocus: true });
          return;
        }
        const { data } = await api.POST('/contacts', { body: isKnown ? { email } : { email, subscribed } });
        if (!data) return;
        await refreshContacts();
        say(isKnown ? `${data.email} was a contact already` : `${data.email} is added`);
        await finish({
          to: '/projects/$projectId/contacts/$contactId',
          params: { projectId, contactId: data.id },
        });
      }}
    >
      {({ control }) => (
        <>
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
        </>
      )}
    </FormDialog>
  );
}

/** Undefined if the text is not an address. */
async function isContact(email: string): Promise<boolean | undefined> {
  try {
    const { data } = await api.POST('/contacts/lookup', { body: { emails: [email] } });
    return (data?.found.length ?? 0) > 0;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}
