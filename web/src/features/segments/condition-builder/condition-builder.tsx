import type { Schema } from '../../../api/client.ts';
import { type Condition, countFilters } from './condition.ts';
import { ConditionEditor } from './condition-editor.tsx';
import type { FieldSource } from './operators.ts';
import { useFields } from './use-fields.ts';

interface ConditionBuilderProps {
  value: Condition;
  onChange: (condition: Condition) => void;
  /** Of the API's answer, or of `findGaps`; each shows where it belongs. */
  errors?: readonly Schema<'FieldIssue'>[];
  /** Of the condition in the request, with which the paths of `errors` begin. */
  path?: string;
  /** Workflows can ask about the event and the context, too. */
  source?: FieldSource;
}

const none: readonly Schema<'FieldIssue'>[] = [];

/** Edits a whole condition tree. Read what the API answered with `readCondition`. */
export function ConditionBuilder({
  value,
  onChange,
  errors = none,
  path = 'condition',
  source = 'contact',
}: ConditionBuilderProps) {
  const fields = useFields(source);
  return (
    <ConditionEditor
      condition={value}
      onChange={onChange}
      path={path}
      depth={1}
      shared={{ source, fields, errors, filters: countFilters(value) }}
    />
  );
}
