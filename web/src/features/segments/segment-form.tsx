import { useEffect } from 'react';
import { type Control, Controller, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { FormError } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import type { ApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { type Condition, readCondition } from './condition-builder/condition.ts';
import { ConditionField, completeCondition } from './condition-builder/condition-field.tsx';
import { describeCondition } from './condition-builder/describe-condition.ts';
import { useConditionNames } from './condition-builder/use-condition-names.ts';
import { SegmentPreview, usePreview } from './segment-preview.tsx';

type Segment = Schema<'Segment'>;

const shape = {
  name: z.string().trim().min(1, 'Give it a name').max(100, 'At most 100 characters'),
  description: z.string().trim().max(500, 'At most 500 characters'),
  trackMembership: z.boolean(),
};
export const segmentSchemas = {
  DYNAMIC: z.object({ ...shape, condition: completeCondition }),
  STATIC: z.object({ ...shape, condition: z.custom<Condition>() }),
};

export type SegmentValues = z.infer<typeof segmentSchemas.DYNAMIC>;

/** Form values of a stored segment, or of a new one. */
export const toSegmentValues = (segment?: Segment): SegmentValues => ({
  name: segment?.name ?? '',
  description: segment?.description ?? '',
  trackMembership: segment?.trackMembership ?? false,
  condition: readCondition(segment?.condition),
});

/** The body of a request; only dynamic segments have a condition. */
export const segmentBody = (type: Segment['type'], { condition, description, ...values }: SegmentValues) => ({
  ...values,
  description: description || null,
  ...(type === 'DYNAMIC' && { condition }),
});

interface SegmentFormProps {
  /** Id of the form, for the submit button outside it. */
  id: string;
  type: Segment['type'];
  edit: Pick<ApiForm<SegmentValues>, 'form' | 'failure' | 'submit'>;
  /** Gets whether a save is in progress, for the submit button. */
  onPending: (isPending: boolean) => void;
}

export function SegmentForm({ id, type, edit: { form, failure, submit }, onPending }: SegmentFormProps) {
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

function ConditionSection({ control, failure }: { control: Control<SegmentValues>; failure: unknown }) {
  const condition = useWatch({ control, name: 'condition' });
  const nameOf = useConditionNames([condition]);
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
