import { z } from 'zod';
import { EventNameField } from './event-name-field.tsx';
import { nameSchema, StepFormFrame, type StepFormProps, useStepForm } from './step-form.tsx';

const schema = z.object({
  name: nameSchema,
  eventName: z.string().trim().min(1, 'Enter the name of an event'),
});

export function TriggerForm(props: StepFormProps) {
  const form = useStepForm({
    ...props,
    schema,
    defaultValues: { name: props.step.name, eventName: String(props.step.config.eventName ?? '') },
    configOf: ({ eventName }) => ({ eventName }),
  });
  return (
    <StepFormFrame form={form} onDone={props.onDone}>
      <EventNameField
        control={form.form.control}
        name="eventName"
        label="Starts with the event"
        hint="Each contact with this event enters the workflow once it is enabled."
      />
    </StepFormFrame>
  );
}
