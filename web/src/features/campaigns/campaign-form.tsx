import { useState } from 'react';
import { FormProvider, type UseFormReturn } from 'react-hook-form';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/error-note.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { Section } from '../../ui/page.tsx';
import { MessageEditor } from '../message-editor/message-editor.tsx';
import { SenderFields } from '../message-editor/sender-fields.tsx';
import type { Sender } from '../message-editor/use-usual-sender.ts';
import { AudienceSection } from './audience-section.tsx';
import type { CampaignValues } from './campaign-values.ts';
import { TemplateDialog } from './template-dialog.tsx';
import type { useAudience } from './use-audience.ts';

interface CampaignFormProps {
  form: UseFormReturn<CampaignValues>;
  failure: unknown;
  audience: ReturnType<typeof useAudience>;
  usualSender?: Sender | null | undefined;
}

/** Audience and content of an unsent campaign. */
export function CampaignForm({ form, failure, audience, usualSender }: CampaignFormProps) {
  const [isTemplateOpen, setIsTemplateOpen] = useState(false);
  return (
    <FormProvider {...form}>
      <FormError error={failure} />
      <FormField
        control={form.control}
        name="name"
        label="Name"
        hint="Only your team sees it."
        className="max-w-md"
      />
      <AudienceSection audience={audience} />
      <Section
        title="Content"
        actions={<Button onPress={() => setIsTemplateOpen(true)}>Start from a template</Button>}
      >
        <SenderFields usual={usualSender} />
        <MessageEditor />
      </Section>
      <TemplateDialog isOpen={isTemplateOpen} onClose={() => setIsTemplateOpen(false)} />
    </FormProvider>
  );
}
