import { z } from 'zod';
import { type DurationUnit, durationUnits, fromSeconds, toSeconds } from '../graph/duration.ts';
import { DurationFields } from './duration-fields.tsx';
import { EventNameField } from './event-name-field.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const schema = z.object({
  name: nameSchema,
  eventName: z.string().trim().min(1, 'Enter the name of an event'),
  timeout: z
    .string()
    .refine((text) => text === '' || Number(text) > 0, 'Enter a number above 0, or leave empty'),
  unit: z.enum(durationUnits),
});

export function WaitForm(props: StepFormProps) {
  const { name, config } = props.step;
  const limit = typeof config.timeout === 'number' ? fromSeconds(config.timeout) : undefined;
  const unit: DurationUnit = limit?.unit ?? 'days';
  const form = useStepForm<z.infer<typeof schema>>({
    ...props,
    schema,
    defaultValues: {
      name,
      eventName: String(config.eventName ?? ''),
      timeout: String(limit?.amount ?? ''),
      unit,
    },
    configOf: ({ eventName, timeout, ...rest }) =>
      timeout === '' ? { eventName } : { eventName, timeout: toSeconds(Number(timeout), rest.unit) },
  });
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <EventNameField
        control={form.form.control}
        name="eventName"
        label="Event"
        hint="It must happen to the same contact."
      />
      <DurationFields
        control={form.form.control}
        amount="timeout"
        unit="unit"
        label="Wait at most (optional)"
        hint="Without it, the contact waits until the event happens."
      />
    </StepFormFrame>
  );
}
