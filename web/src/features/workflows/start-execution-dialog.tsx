import { useNavigate } from '@tanstack/react-router';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { $api, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { readJsonObject } from '../../ui/json-object.ts';
import { ComboBox } from '../../ui/select.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';

interface StartExecutionDialogProps {
  workflowId: string;
  isOpen: boolean;
  onClose: () => void;
}

export function StartExecutionDialog({ workflowId, isOpen, onClose }: StartExecutionDialogProps) {
  return (
    <Dialog title="Start for a contact" isOpen={isOpen} onClose={onClose}>
      <StartForm workflowId={workflowId} onClose={onClose} />
    </Dialog>
  );
}

const schema = z.object({
  email: z.string().trim().min(1, 'Enter the address of a contact'),
  context: z
    .string()
    .refine(
      (text) => text.trim() === '' || readJsonObject(text) !== undefined,
      'Enter a JSON object, or leave empty',
    ),
});

function StartForm({ workflowId, onClose }: Omit<StartExecutionDialogProps, 'isOpen'>) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { email: '', context: '' },
    async save({ email, context }) {
      const contactId = await findContact(email);
      if (contactId === undefined) {
        form.setError('email', { message: 'No contact has this address' });
        return;
      }
      const { data } = await api.POST('/workflows/{id}/executions', {
        params: { path: { id: workflowId } },
        // as: the types take an object of any keys for one without keys.
        body: { contactId, context: (readJsonObject(context) ?? {}) as Record<string, never> },
      });
      await refresh('/workflows');
      onClose();
      if (!data) return;
      await navigate({
        to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
        params: { projectId, workflowId, executionId: data.id },
      });
    },
  });
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Controller
        control={form.control}
        name="email"
        render={({ field, fieldState }) => (
          <ContactBox value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
        )}
      />
      <FormField
        control={form.control}
        name="context"
        label="Context (optional)"
        rows={3}
        placeholder='{ "coupon": "SPRING" }'
        hint="A JSON object, which conditions and templates read as context."
      />
      <ErrorNote error={failure} />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Start
        </Button>
      </DialogActions>
    </form>
  );
}

interface ContactBoxProps {
  value: string;
  onChange: (email: string) => void;
  error: string | undefined;
}

function ContactBox({ value, onChange, error }: ContactBoxProps) {
  const search = useDebounced(value.trim());
  const { data } = $api.useQuery('get', '/contacts', {
    params: { query: { limit: 8, ...(search !== '' && { search }) } },
  });
  return (
    <ComboBox
      label="Contact"
      placeholder="person@example.com"
      options={(data?.data ?? []).map(({ email }) => ({ value: email, label: email }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

async function findContact(email: string): Promise<string | undefined> {
  const { data } = await api.GET('/contacts', { params: { query: { search: email, limit: 100 } } });
  const wanted = email.toLowerCase();
  return data?.data.find((contact) => contact.email.toLowerCase() === wanted)?.id;
}
