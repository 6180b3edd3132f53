import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { saveContact } from './save-contact.ts';

const schema = z.object({ email: addressSchema('Enter an address, such as ada@example.com') });

export function ChangeAddressDialog({ contact, ...state }: DialogState & { contact: Schema<'Contact'> }) {
  return (
    <FormDialog
      {...state}
      title="Change the address"
      action="Change the address"
      schema={schema}
      defaultValues={{ email: contact.email }}
      save={async (change, finish) => {
        const { email } = await saveContact(contact, change);
        say(`The address is now ${email}`);
        await finish();
      }}
    >
      {({ control }) => (
        <FormField
          control={control}
          name="email"
          label="Address"
          type="email"
          hint="Data, subscription and history stay."
          autoFocus
        />
      )}
    </FormDialog>
  );
}
