import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';

const schema = z.object({ domain: z.string().trim().min(3, 'Enter a domain, such as mail.example.com.') });

/** Of what was pasted from the address bar of a browser. */
const domainOf = (text: string) => text.replace(/^https?:\/\//i, '').replace(/[/?#].*$/, '');

export function AddDomainDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Add a domain" isOpen={isOpen} onClose={onClose}>
      <DomainForm onClose={onClose} />
    </Dialog>
  );
}

function DomainForm({ onClose }: { onClose: () => void }) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const edit = useApiForm({
    schema,
    defaultValues: { domain: '' },
    save: async ({ domain }) => {
      const { data } = await api.POST('/domains', { body: { domain: domainOf(domain) } });
      await refresh('/domains');
      onClose();
      if (!data) return;
      await navigate({
        to: '/projects/$projectId/domains/$domainId',
        params: { projectId, domainId: data.id },
      });
    },
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action="Add the domain" onCancel={onClose}>
      <FormField
        control={control}
        name="domain"
        label="Domain"
        placeholder="mail.example.com"
        hint="A subdomain keeps the reputation of your main domain apart."
        autoFocus
      />
    </DialogForm>
  );
}
