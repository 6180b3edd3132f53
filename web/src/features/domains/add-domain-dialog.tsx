import { z } from 'zod';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { isMailboxProvider } from './mailbox-providers.ts';

/** Extracts the domain from an email address, a pasted URL or a name as DNS writes it. */
const domainOf = (text: string) =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/^(.*@|www\.)/i, '')
    .replace(/\.$/, '');

const schema = z.object({
  domain: z
    .string()
    .trim()
    .min(3, 'Enter a domain, such as mail.example.com.')
    .refine(
      (text) => !isMailboxProvider(domainOf(text)),
      'Only this mailbox provider can add DNS records to its domain. Enter a domain of your own, such as that of your website.',
    ),
});

export function AddDomainDialog(state: DialogState) {
  const projectId = useProjectId();
  return (
    <FormDialog
      {...state}
      title="Add a domain"
      action="Add the domain"
      schema={schema}
      defaultValues={{ domain: '' }}
      save={async ({ domain }, finish) => {
        const { data } = await api.POST('/domains', { body: { domain: domainOf(domain) } });
        await refresh('/domains');
        await finish(
          data && {
            to: '/projects/$projectId/domains/$domainId',
            params: { projectId, domainId: data.id },
          },
        );
      }}
    >
      {({ control }) => (
        <FormField
          control={control}
          name="domain"
          label="Domain"
          placeholder="mail.example.com"
          hint="A subdomain keeps its reputation separate from that of your main domain."
          autoFocus
        />
      )}
    </FormDialog>
  );
}
