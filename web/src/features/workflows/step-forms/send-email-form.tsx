import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { FormField } from '../../../ui/form-field.tsx';
import { FormSelect } from '../../../ui/form-select.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';
import { TemplateProblems } from './template-problems.tsx';
import { TemplateSelect } from './template-select.tsx';

const recipients = [
  { value: 'CONTACT', label: 'The contact' },
  { value: 'CUSTOM', label: 'Another address' },
] as const;

const schema = z
  .object({
    name: nameSchema,
    templateId: z.string().min(1, 'Choose a template'),
    to: z.enum(['CONTACT', 'CUSTOM']),
    recipient: z.string().trim(),
  })
  .refine(({ to, recipient }) => to === 'CONTACT' || recipient !== '', {
    path: ['recipient'],
    message: 'Enter an address',
  });

const recipientSchema = z.object({ type: z.enum(['CONTACT', 'CUSTOM']), email: z.string().optional() });

export function SendEmailForm(props: StepFormProps) {
  const { name, config, templateId } = props.step;
  const recipient = recipientSchema.safeParse(config.recipient).data;
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: {
      name,
      templateId: templateId ?? '',
      to: recipient?.type ?? 'CONTACT',
      recipient: recipient?.email ?? '',
    },
    configOf: (values) => ({
      templateId: values.templateId,
      ...(values.to === 'CUSTOM' && { recipient: { type: 'CUSTOM', email: values.recipient } }),
    }),
  });
  const { control, watch } = form.form;
  const chosenId = watch('templateId');
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <Controller
        control={control}
        name="templateId"
        render={({ field, fieldState }) => (
          <TemplateSelect
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
            buttonRef={field.ref}
          />
        )}
      />
      {chosenId !== '' && <TemplateProblems templateId={chosenId} />}
      <FormSelect control={control} name="to" label="To" options={recipients} />
      {watch('to') === 'CUSTOM' && (
        <FormField control={control} name="recipient" label="Address" placeholder="team@example.com" />
      )}
    </StepFormFrame>
  );
}
