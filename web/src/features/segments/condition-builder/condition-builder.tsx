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
  /** Tries to save its form, after each of which the first error gets the focus. */
  tries: number;
  /** What the API refused, which shows where it belongs, as what is missing does. */
  refused: readonly Schema<'FieldIssue'>[];
  /** Of the condition in the request, with which the paths of `refused` begin. */
  path?: string;
  /** Workflows can ask about the event and the context, too. */
  source?: FieldSource;
}

const invalid = '[data-invalid] button, [data-invalid] input';

/** Edits a whole condition tree. Read what the API answered with `readCondition`. */
export function ConditionBuilder({
  value,
  onChange,
  tries,
  refused,
  path = 'condition',
  source = 'contact',
}: ConditionBuilderProps) {
  const fields = useFields(source);
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
