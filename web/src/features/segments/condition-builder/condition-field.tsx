import { useState } from 'react';
import { type Control, type FieldValues, type Path, useController } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../../api/api-error.ts';
import type { Schema } from '../../../api/client.ts';
import type { Condition } from './condition.ts';
import { ConditionBuilder } from './condition-builder.tsx';
import { findGaps } from './condition-gaps.ts';
import type { FieldSource } from './operators.ts';

/** A condition without gaps. */
export const completeCondition = z
  .custom<Condition>()
  .refine((condition) => findGaps(condition, '').length === 0, 'The condition is not complete');

interface ConditionFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  /** Also the path of the condition in the request. */
  name: Path<Values>;
  /** Why the last save failed; what it says about the condition shows until the condition is changed. */
  failure?: unknown;
  /** Further issues, of a preview. */
  refused: readonly Schema<'FieldIssue'>[];
  source?: FieldSource;
}

/** A condition bound to a form. */
export function ConditionField<Values extends FieldValues>(props: ConditionFieldProps<Values>) {
  const { control, name, failure = null, refused, source = 'contact' } = props;
  const { field, fieldState, formState } = useController({ control, name });
  const condition: Condition = field.value;
  // Issues name filters by index, which may have changed.
  const [failed, setFailed] = useState({ failure, condition });
  if (failed.failure !== failure) setFailed({ failure, condition });
  const ofSave = failure instanceof ApiError && failed.condition === condition ? failure.issues : [];
  // Only the API's errors: those of the schema show at their filters.
  const { type, message = '' } = fieldState.error ?? {};
  const ofWhole = message && type === undefined ? [{ field: name, message, code: '' }] : [];
  return (
    <ConditionBuilder
      value={condition}
      onChange={field.onChange}
      path={name}
      tries={formState.submitCount}
      refused={[...ofWhole, ...ofSave, ...refused]}
      source={source}
    />
  );
}
