import { useSuspenseQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { userQuery } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
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
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { email: user.email },
    async save({ email }) {
      await onSend(email);
      say(`Test email to ${email} is on its way`);
      onClose();
    },
  });
  return (
    <form noValidate onSubmit={submit}>
      <FormField
        control={form.control}
        name="email"
        type="email"
        label="To"
        autoFocus
        hint="With the data of the contact at this address, if there is one. “[TEST]” precedes the subject."
      />
      <ErrorNote error={failure} className="mt-4" />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Send test
        </Button>
      </DialogActions>
    </form>
  );
}
