import { useSuspenseQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { userQuery } from '../../shell/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';

interface TestEmailDialogProps {
  isOpen: boolean;
  onClose: () => void;
  /** Saves first what is not saved: the test shows the stored version. */
  onSend: (email: string) => Promise<unknown>;
}

export function TestEmailDialog({ isOpen, onClose, onSend }: TestEmailDialogProps) {
  return (
    <Dialog title="Send a test" isOpen={isOpen} onClose={onClose}>
      <TestEmailForm onClose={onClose} onSend={onSend} />
    </Dialog>
  );
}

const schema = z.object({ email: z.email('Enter an address, such as ada@example.com') });

function TestEmailForm({ onClose, onSend }: Omit<TestEmailDialogProps, 'isOpen'>) {
  const { data: user } = useSuspenseQuery(userQuery);
  const edit = useApiForm({
    schema,
    defaultValues: { email: user.email },
    async save({ email }) {
      await onSend(email);
      say(`Test email to ${email} is on its way`);
      onClose();
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Send test" onCancel={onClose}>
      <FormField
        control={control}
        name="email"
        type="email"
        label="To"
        autoFocus
        hint="With the data of the contact at this address, if there is one. “[TEST]” precedes the subject."
      />
    </DialogForm>
  );
}
