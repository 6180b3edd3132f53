import { Controller } from 'react-hook-form';
import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { Switch } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { EventNameField } from './step-forms/event-name-field.tsx';

const schema = z.object({
  name: z.string().trim().min(1, 'Give it a name').max(100, 'At most 100 characters'),
  description: z.string().trim().max(500, 'At most 500 characters'),
  eventName: z.string().trim().min(1, 'Enter the name of an event'),
  allowReentry: z.boolean(),
});

export type WorkflowValues = z.infer<typeof schema>;

interface WorkflowFormProps {
  workflow?: Schema<'Workflow'>;
  /** Label of the button. */
  action: string;
  onCancel: () => void;
  /** Rejects with the API's error. */
  onSave: (values: WorkflowValues) => Promise<unknown>;
}

export function WorkflowForm({ workflow, action, onCancel, onSave }: WorkflowFormProps) {
  const edit = useApiForm({
    schema,
    defaultValues: {
      name: workflow?.name ?? '',
      description: workflow?.description ?? '',
      eventName: workflow?.triggerConfig.eventName ?? '',
      allowReentry: workflow?.allowReentry ?? false,
    },
    save: onSave,
  });
  const { control } = edit.form;
  return (
    <DialogForm form={edit} action={action} onCancel={onCancel}>
      <FormField control={control} name="name" label="Name" placeholder="Onboarding" autoFocus />
      <FormField control={control} name="description" label="Description (optional)" />
      <EventNameField
        control={control}
        name="eventName"
        label="Starts with the event"
        hint="Each contact with this event enters the workflow once it is enabled."
      />
      <Controller
        control={control}
        name="allowReentry"
        render={({ field }) => (
          <Switch isSelected={field.value} onChange={field.onChange}>
            <span>
              Allow re-entry
              <span className="block text-sm text-muted">
                A contact may enter again once the previous execution has ended. Otherwise each contact enters
                only once.
              </span>
            </span>
          </Switch>
        )}
      />
    </DialogForm>
  );
}
