import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { readJsonObject } from '../../ui/json-object.ts';
import { ContactBox } from './contact-box.tsx';

const schema = z.object({
  email: z.string().trim().min(1, 'Enter the address of a contact'),
  context: z
    .string()
    .refine(
      (text) => text.trim() === '' || readJsonObject(text) !== undefined,
      'Enter a JSON object, or leave empty',
    ),
});

export function StartExecutionDialog({ workflowId, ...state }: DialogState & { workflowId: string }) {
  const projectId = useProjectId();
  return (
    <FormDialog
      {...state}
      title="Start for a contact"
      action="Start"
      schema={schema}
      defaultValues={{ email: '', context: '' }}
      save={async ({ email, context }, finish, form) => {
        const contactId = await findContact(email);
        if (contactId === undefined) {
          form.setError('email', { message: 'No contact has this address' }, { shouldFocus: true });
          return;
        }
        const { data } = await api.POST('/workflows/{id}/executions', {
          params: { path: { id: workflowId } },
          // as: the generated type of an object with any keys accepts no keys.
          body: { contactId, context: (readJsonObject(context) ?? {}) as Record<string, never> },
        });
        await refresh('/workflows');
        await finish(
          data && {
            to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
            params: { projectId, workflowId, executionId: data.id },
          },
        );
      }}
    >
      {({ control }) => (
        <>
          <Controller
            control={control}
            name="email"
            render={({ field, fieldState }) => (
              <ContactBox
                value={field.value}
                onChange={field.onChange}
                error={fieldState.error?.message}
                inputRef={field.ref}
              />
            )}
          />
          <FormField
            control={control}
            name="context"
            label="Context (optional)"
            rows={3}
            placeholder='{ "coupon": "SPRING" }'
            hint="A JSON object, which conditions and templates read as context."
          />
        </>
      )}
    </FormDialog>
  );
}

/** Many addresses may contain this one, so all pages are searched. */
async function findContact(email: string): Promise<string | undefined> {
  const address = await findAddress(email);
  for (let cursor: string | null | undefined; address !== undefined && cursor !== null; ) {
    const query = { search: address, limit: 100, ...(cursor && { cursor }) };
    const { data } = await api.GET('/contacts', { params: { query } });
    const found = data?.data.find((contact) => contact.email === address);
    if (found) return found.id;
    cursor = data?.cursor ?? null;
  }
  return undefined;
}

/** The address as it is stored, if a contact has it: in lower case, an international domain in ASCII. */
async function findAddress(email: string): Promise<string | undefined> {
  try {
    const { data } = await api.POST('/contacts/lookup', { body: { emails: [email] } });
    return data?.found[0];
  } catch (error) {
    // Not an address.
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}
