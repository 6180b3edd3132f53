import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { saveContact } from './save-contact.ts';

const schema = z.object({ email: z.string().trim().min(3, 'Enter an address') });

interface ChangeAddressDialogProps {
  contact: Schema<'Contact'>;
  isOpen: boolean;
  onClose: () => void;
}

export function ChangeAddressDialog({ isOpen, ...props }: ChangeAddressDialogProps) {
  return (
    <Dialog title="Change the address" isOpen={isOpen} onClose={props.onClose}>
      <AddressForm {...props} />
    </Dialog>
  );
}

function AddressForm({ contact, onClose }: Omit<ChangeAddressDialogProps, 'isOpen'>) {
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { email: contact.email },
    async save(change) {
      const { email } = await saveContact(contact, change);
      say(`The address is ${email} now`);
      onClose();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <FormField
        control={form.control}
        name="email"
        label="Address"
        type="email"
        hint="Data, subscription and history stay."
        autoFocus
      />
      <ErrorNote error={failure} className="mt-4" />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Change the address
        </Button>
      </DialogActions>
    </form>
  );
}
