import { useQuery } from '@tanstack/react-query';
import { Controller, useFormContext } from 'react-hook-form';
import { useProjectId } from '../../shell/use-project-id.ts';
import { FormField } from '../../ui/form-field.tsx';
import { FormSelect } from '../../ui/form-select.tsx';
import { ComboBox } from '../../ui/select.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { contentTypes, type MessageContent } from './content.ts';
import { type Sender, useUsualSender } from './use-usual-sender.ts';

/**
 * Sender and type of an email. Must be inside a form with the message fields.
 *
 * @param usual fills in the sender of a new record, as `useUsualSender` says
 */
export function SenderFields({ usual }: { usual?: Sender | null | undefined }) {
  const form = useFormContext<MessageContent>();
  const { control } = form;
  const fields = useUsualSender(form, usual);
  return (
    <div ref={fields} className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <FromField />
      <FormField control={control} name="fromName" label="Sender name" placeholder="Your company" />
      <FormField
        control={control}
        name="replyTo"
        label="Replies go to"
        placeholder="The sender"
        type="email"
      />
      <FormSelect control={control} name="type" label="Type" options={contentTypes} />
    </div>
  );
}

function FromField() {
  const { control } = useFormContext<MessageContent>();
  const projectId = useProjectId();
  const { data } = useQuery(domainsQuery(projectId));
  const verified = (data?.data ?? []).filter(({ status }) => status === 'verified');
  return (
    <Controller
      control={control}
      name="from"
      render={({ field, fieldState }) => {
        const name = field.value.split('@')[0] || 'hello';
        return (
          <ComboBox
            label="From"
            placeholder="hello@example.com"
            options={verified.map(({ domain }) => ({
              value: `${name}@${domain}`,
              label: `${name}@${domain}`,
            }))}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
            inputRef={field.ref}
            {...(data && verified.length === 0 && { hint: 'Verify a domain first to send from it.' })}
          />
        );
      }}
    />
  );
}
