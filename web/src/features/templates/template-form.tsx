import { FormProvider, type UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { FormError } from '../../ui/error-note.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { contentOf, contentShape } from '../message-editor/content.ts';
import { MessageEditor } from '../message-editor/message-editor.tsx';
import { SenderFields } from '../message-editor/sender-fields.tsx';
import type { Sender } from '../message-editor/use-usual-sender.ts';

export const templateSchema = z.object({
  name: z.string().regex(/\S/, 'Enter a name').max(255, 'At most 255 characters'),
  description: z.string().max(2000, 'At most 2,000 characters'),
  ...contentShape,
});

export type TemplateValues = z.output<typeof templateSchema>;

export const toTemplateValues = (template: Schema<'Template'>): TemplateValues => ({
  name: template.name,
  description: template.description ?? '',
  ...contentOf(template),
});

interface TemplateFormProps {
  form: UseFormReturn<TemplateValues>;
  failure: unknown;
  usualSender?: Sender | null | undefined;
}

export function TemplateForm({ form, failure, usualSender }: TemplateFormProps) {
  return (
    <FormProvider {...form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField control={form.control} name="name" label="Name" hint="Only your team sees it." />
        <FormField control={form.control} name="description" label="Note" placeholder="When it is sent" />
      </div>
      <SenderFields usual={usualSender} />
      <FormError error={failure} />
      <MessageEditor hasWorkflowSamples />
      <LeaveGuard isDirty={form.formState.isDirty} />
    </FormProvider>
  );
}
