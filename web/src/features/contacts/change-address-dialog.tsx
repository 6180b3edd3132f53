import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
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
  const edit = useApiForm({
    schema,
    defaultValues: { email: contact.email },
    async save(change) {
      const { email } = await saveContact(contact, change);
      say(`The address is ${email} now`);
      onClose();
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Change the address" onCancel={onClose}>
      <FormField
        control={control}
        name="email"
        label="Address"
        type="email"
        hint="Data, subscription and history stay."
        autoFocus
      />
    </DialogForm>
  );
}
