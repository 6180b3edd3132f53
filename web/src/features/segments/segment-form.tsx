import { useEffect } from 'react';
import { type Control, Controller, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { FormError } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { acceptValues, carryInput, enterCarriedInput, useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { type Condition, readCondition } from './condition-builder/condition.ts';
import { ConditionField, completeCondition } from './condition-builder/condition-field.tsx';
import { describeCondition } from './condition-builder/describe-condition.ts';
import { SegmentPreview, usePreview } from './segment-preview.tsx';
import { useSegmentNames } from './use-segment-names.ts';

const shape = {
  name: z.string().trim().min(1, 'Give it a name').max(100, 'At most 100 characters'),
  description: z.string().trim().max(500, 'At most 500 characters'),
  trackMembership: z.boolean(),
};
const schemas = {
  DYNAMIC: z.object({ ...shape, condition: completeCondition }),
  STATIC: z.object({ ...shape, condition: z.custom<Condition>() }),
};

type FormValues = z.infer<typeof schemas.DYNAMIC>;

export interface SegmentValues {
  name: string;
  description: string | null;
  trackMembership: boolean;
  /** Only for dynamic segments. */
  condition?: Condition;
}

interface SegmentFormProps {
  /** Id of the form, for the submit button outside it. */
  id: string;
  type: Schema<'Segment'>['type'];
  segment?: Schema<'Segment'>;
  /**
   * Rejects with the API's error.
   *
   * @param carry keeps what was typed meanwhile for the page of the new segment, and returns whether anything was
   */
  onSave: (values: SegmentValues, carry: (id: string) => boolean) => Promise<unknown>;
  /** Gets whether a save is in progress, for the submit button. */
  onPending: (isPending: boolean) => void;
}

export function SegmentForm({ id, type, segment, onSave, onPending }: SegmentFormProps) {
  const { form, failure, submit } = useApiForm<FormValues>({
    schema: schemas[type],
    defaultValues: {
      name: segment?.name ?? '',
      description: segment?.description ?? '',
      trackMembership: segment?.trackMembership ?? false,
      condition: readCondition(segment?.condition),
    },
    async save({ description, condition, ...values }, { getValues }) {
      const entered = getValues();
      await onSave(
        { ...values, description: description || null, ...(type === 'DYNAMIC' && { condition }) },
        (newId) => carryInput(newId, getValues(), entered),
      );
      acceptValues(form, entered, { description, condition, ...values });
    },
  });
  const segmentId = segment?.id;
  useEffect(() => {
    if (segmentId !== undefined) enterCarriedInput(segmentId, form);
  }, [segmentId, form]);
  const { isSubmitting } = form.formState;
  useEffect(() => onPending(isSubmitting), [isSubmitting, onPending]);
  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-8">
      <LeaveGuard isDirty={form.formState.isDirty} />
      <FormError error={failure} />
      <Section className="max-w-xl">
        <FormField control={form.control} name="name" label="Name" />
        <FormField control={form.control} name="description" label="Description" />
        <Controller
          control={form.control}
          name="trackMembership"
          render={({ field }) => (
            <Switch isSelected={field.value} onChange={field.onChange}>
              <span>
                Track who joins and leaves
                <span className="block text-sm text-muted">
                  Each change is an event, which workflows can start from.
                </span>
              </span>
            </Switch>
          )}
        />
      </Section>
      {type === 'DYNAMIC' && <ConditionSection control={form.control} failure={failure} />}
    </form>
  );
}

function ConditionSection({ control, failure }: { control: Control<FormValues>; failure: unknown }) {
  const condition = useWatch({ control, name: 'condition' });
  const nameOf = useSegmentNames();
  const preview = usePreview(condition);
  const ofPreview = preview.error instanceof ApiError ? preview.error.issues : [];
  return (
    <Section title="Who belongs" description="Everyone who meets the condition, at any time.">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <ConditionField control={control} name="condition" failure={failure} refused={ofPreview} />
        <SegmentPreview query={preview} words={describeCondition(condition, nameOf)} />
      </div>
    </Section>
  );
}
