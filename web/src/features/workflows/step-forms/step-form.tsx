import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../../api/api-error.ts';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { type ApiForm, acceptValues, useApiForm } from '../../../ui/form.ts';
import { FormField } from '../../../ui/form-field.tsx';
import { LeaveGuard } from '../../../ui/leave-guard.tsx';
import { useIsShown } from '../../../ui/use-leave.ts';
import type { Step } from '../graph/graph.ts';
import { useSaveStep, withFormFields } from '../graph/save-step.ts';

export interface StepFormProps {
  workflowId: string;
  step: Step;
  onDone: () => void;
}

export const nameSchema = z.string().trim().min(1, 'Give it a name').max(100, 'At most 100 characters');

interface StepFormOptions<Values extends FieldValues & { name: string }> extends StepFormProps {
  schema: z.ZodType<Values, Values>;
  defaultValues: Values;
  configOf: (values: Values) => Record<string, unknown>;
}

/** The form of a step: saves the name and the config, then closes unless more was entered meanwhile. */
export function useStepForm<Values extends FieldValues & { name: string }>(
  options: StepFormOptions<Values>,
): ApiForm<Values> {
  const { workflowId, step, onDone, schema, defaultValues, configOf } = options;
  const saveStep = useSaveStep(workflowId, step);
  const isShown = useIsShown();
  return useApiForm<Values>({
    schema,
    // as: the `DefaultValues` of a type parameter.
    defaultValues: defaultValues as Parameters<typeof useApiForm<Values>>[0]['defaultValues'],
    async save(values, form) {
      const entered = form.getValues();
      try {
        await saveStep(values.name, configOf(values));
      } catch (error) {
        throw error instanceof ApiError ? withFormFields(error, values) : error;
      }
      // Another step may be open by now, or another page.
      if (!isShown()) return;
      const current = form.getValues();
      if (Object.keys(current).every((name) => current[name] === entered[name])) onDone();
      else acceptValues(form, entered, values);
    },
  });
}

interface StepFormFrameProps<Values extends FieldValues & { name: string }> {
  form: ApiForm<Values>;
  onDone: () => void;
  children?: ReactNode;
}

export function StepFormFrame<Values extends FieldValues & { name: string }>({
  form,
  onDone,
  children,
}: StepFormFrameProps<Values>) {
  // as: every step form has a name field.
  const { control } = form.form as unknown as UseFormReturn<{ name: string }>;
  return (
    <DialogForm form={form} action="Save" onCancel={onDone}>
      <LeaveGuard isDirty={form.form.formState.isDirty} />
      <FormField control={control} name="name" label="Step name" />
      {children}
    </DialogForm>
  );
}
