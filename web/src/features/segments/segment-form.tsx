import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { FormError } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { type Condition, readCondition } from './condition-builder/condition.ts';
import { ConditionBuilder } from './condition-builder/condition-builder.tsx';
import { findGaps } from './condition-builder/condition-gaps.ts';
import { describeCondition } from './condition-builder/describe-condition.ts';
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
  /** Of dynamic segments alone. */
  condition?: Condition;
}

interface SegmentFormProps {
  /** Of the form, for the button that stands outside of it. */
  id: string;
  type: Schema<'Segment'>['type'];
  segment?: Schema<'Segment'>;
  /** Rejects with the error of the API. */
  onSave: (values: SegmentValues) => Promise<unknown>;
}

export function SegmentForm({ id, type, segment, onSave }: SegmentFormProps) {
  const [condition, setCondition] = useState(() => readCondition(segment?.condition));
  const [stored, setStored] = useState(condition);
  const [refused, setRefused] = useState<readonly Schema<'FieldIssue'>[]>([]);
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: {
      name: segment?.name ?? '',
      description: segment?.description ?? '',
      trackMembership: segment?.trackMembership ?? false,
    },
    async save({ description, ...values }) {
      if (type === 'DYNAMIC' && findGaps(condition, 'condition').length > 0) return;
      const ofCondition = type === 'DYNAMIC' ? { condition } : {};
      try {
        await onSave({ ...values, description: description || null, ...ofCondition });
        form.reset({ description, ...values });
        setStored(condition);
      } catch (error) {
        if (error instanceof ApiError) setRefused(error.issues);
        throw error;
      }
    },
  });
  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-8">
      <LeaveGuard isDirty={form.formState.isDirty || !isSame(condition, stored)} />
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
      {type === 'DYNAMIC' && (
        <ConditionSection
          condition={condition}
          onChange={(changed) => {
            setCondition(changed);
            // They name filters by their place, which may be another one now.
            setRefused([]);
          }}
          tries={form.formState.submitCount}
          refused={refused}
        />
      )}
    </form>
  );
}

const isSame = (one: Condition, other: Condition) => JSON.stringify(one) === JSON.stringify(other);

interface ConditionSectionProps {
  condition: Condition;
  onChange: (condition: Condition) => void;
  tries: number;
  refused: readonly Schema<'FieldIssue'>[];
}

function ConditionSection({ condition, onChange, tries, refused }: ConditionSectionProps) {
  const nameOf = useSegmentNames();
  const preview = usePreview(condition);
  const ofPreview = preview.error instanceof ApiError ? preview.error.issues : [];
  return (
    <Section title="Who belongs" description="Everyone who meets the condition, at any time.">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <ConditionBuilder
          value={condition}
          onChange={onChange}
          tries={tries}
          refused={[...refused, ...ofPreview]}
        />
        <SegmentPreview query={preview} words={describeCondition(condition, nameOf)} />
      </div>
    </Section>
  );
}
