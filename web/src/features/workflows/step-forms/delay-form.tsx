import { z } from 'zod';
import { type DurationUnit, durationUnits } from '../graph/duration.ts';
import { DurationFields } from './duration-fields.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const schema = z.object({
  name: nameSchema,
  amount: z.string().refine((text) => Number(text) > 0, 'Enter a number above 0, such as 3 or 1.5'),
  unit: z.enum(durationUnits),
});

export function DelayForm(props: StepFormProps) {
  const { name, config } = props.step;
  const unit: DurationUnit = durationUnits.find((one) => one === config.unit) ?? 'days';
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: { name, amount: String(config.amount ?? ''), unit },
    configOf: (values) => ({ amount: Number(values.amount), unit: values.unit }),
  });
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <DurationFields
        control={form.form.control}
        amount="amount"
        unit="unit"
        label="Wait for"
        hint="At most 365 days."
      />
    </StepFormFrame>
  );
}
