import { useSuspenseQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { userQuery } from '../../shell/session.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';

interface TestEmailDialogProps extends DialogState {
  /** Saves pending changes first, because the test sends the stored version. */
  onSend: (email: string) => Promise<unknown>;
}

const schema = z.object({ email: addressSchema('Enter an address, such as ada@example.com') });

export function TestEmailDialog({ onSend, ...state }: TestEmailDialogProps) {
  const { data: user } = useSuspenseQuery(userQuery);
  return (
    <FormDialog
      {...state}
      title="Send a test"
      action="Send test"
      schema={schema}
      defaultValues={{ email: user.email }}
      save={async ({ email }, finish) => {
        await onSend(email);
        say(`Test email to ${email} is on its way`);
        await finish();
      }}
    >
      {({ control }) => (
        <FormField
          control={control}
          name="email"
          type="email"
          label="To"
          autoFocus
          hint="Uses the data of the contact with this address, if there is one. The subject starts with “[TEST]”."
        />
      )}
    </FormDialog>
  );
}
