import { z } from 'zod';
import { FormField } from '../../../ui/form-field.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const schema = z.object({ name: nameSchema, reason: z.string().trim().max(255, 'At most 255 characters') });

export function ExitForm(props: StepFormProps) {
  const form = useStepForm({
    ...props,
    schema,
    defaultValues: { name: props.step.name, reason: String(props.step.config.reason ?? '') },
    configOf: ({ reason }) => (reason === '' ? {} : { reason }),
  });
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <FormField
        control={form.form.control}
        name="reason"
        label="Reason (optional)"
        hint="Shown with each execution that ends here."
      />
    </StepFormFrame>
  );
}
