import { useEffect, useRef } from 'react';
import type { Schema } from '../../../api/client.ts';
import { type Condition, countFilters } from './condition.ts';
import { ConditionEditor } from './condition-editor.tsx';
import type { FieldSource } from './operators.ts';
import { useFields } from './use-fields.ts';
import { useGaps } from './use-gaps.ts';

interface ConditionBuilderProps {
  value: Condition;
  onChange: (condition: Condition) => void;
  /** How often the user has tried to save the form. Each try focuses the first error. */
  tries: number;
  /** The issues that the API found; they show at their filters, like missing input. */
  refused: readonly Schema<'FieldIssue'>[];
  /** Path of the condition in the request; the paths of `refused` begin with it. */
  path?: string;
  /** In workflows, a condition can also ask about the event and the context. */
  source?: FieldSource;
}

const invalid = '[data-invalid] button, [data-invalid] input';

/** Edits a whole condition tree. Convert the API's answer with `readCondition` first. */
export function ConditionBuilder({
  value,
  onChange,
  tries,
  refused,
  path = 'condition',
  source = 'contact',
}: ConditionBuilderProps) {
  const fields = useFields(source, value);
  const errors = [...useGaps(value, path, tries), ...refused];
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tries > 0) frame.current?.querySelector<HTMLElement>(invalid)?.focus();
  }, [tries]);
  return (
    <div ref={frame}>
      <ConditionEditor
        condition={value}
        onChange={onChange}
        path={path}
        depth={1}
        shared={{ source, fields, errors, filters: countFilters(value) }}
      />
    </div>
  );
}
