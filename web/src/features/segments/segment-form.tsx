import { useEffect } from 'react';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { FormError } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { acceptValues, useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import type { Condition } from './condition-builder/condition.ts';
import { ConditionBuilder } from './condition-builder/condition-builder.tsx';
import { findGaps } from './condition-builder/condition-gaps.ts';
import { describeCondition } from './condition-builder/describe-condition.ts';
import { useEditedCondition } from './condition-builder/use-edited-condition.ts';
import { SegmentPreview, usePreview } from './segment-preview.tsx';
import { useSegmentNames } from './use-segment-names.ts';

const schema = z.object({
  name: z.string().trim().min(1, 'Give it a name').max(100, 'At most 100 characters'),
  description: z.string().trim().max(500, 'At most 500 characters'),
  trackMembership: z.boolean(),
});

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
  /** Rejects with the API's error. */
  onSave: (values: SegmentValues) => Promise<unknown>;
  /** Gets whether a save is in progress, for the submit button. */
  onPending: (isPending: boolean) => void;
}

export function SegmentForm({ id, type, segment, onSave, onPending }: SegmentFormProps) {
  const edited = useEditedCondition(segment?.condition);
  const { condition } = edited;
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: {
      name: segment?.name ?? '',
      description: segment?.description ?? '',
      trackMembership: segment?.trackMembership ?? false,
    },
    async save({ description, ...values }, { getValues }) {
      if (type === 'DYNAMIC' && findGaps(condition, 'condition').length > 0) return;
      const ofCondition = type === 'DYNAMIC' ? { condition } : {};
      const entered = getValues();
      await edited.save(() => onSave({ ...values, description: description || null, ...ofCondition }));
      acceptValues(form, entered, { description, ...values });
    },
  });
  const { isSubmitting } = form.formState;
  useEffect(() => onPending(isSubmitting), [isSubmitting, onPending]);
  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-8">
      <LeaveGuard isDirty={form.formState.isDirty || edited.isChanged} />
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
      {type === 'DYNAMIC' && <ConditionSection edited={edited} tries={form.formState.submitCount} />}
    </form>
  );
}

interface ConditionSectionProps {
  edited: ReturnType<typeof useEditedCondition>;
  tries: number;
}

function ConditionSection({ edited, tries }: ConditionSectionProps) {
  const { condition, change, refused } = edited;
  const nameOf = useSegmentNames();
  const preview = usePreview(condition);
  const ofPreview = preview.error instanceof ApiError ? preview.error.issues : [];
  return (
    <Section title="Who belongs" description="Everyone who meets the condition, at any time.">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <ConditionBuilder
          value={condition}
          onChange={change}
          tries={tries}
          refused={[...refused, ...ofPreview]}
        />
        <SegmentPreview query={preview} words={describeCondition(condition, nameOf)} />
      </div>
    </Section>
  );
}
