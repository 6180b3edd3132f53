import { useState } from 'react';
import { TextField } from '../../../ui/field.tsx';
import type { Filter, FilterValue } from './condition.ts';
import type { FieldType } from './operators.ts';
import { readNumber } from './read-number.ts';

interface ValueListInputProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  type: FieldType | undefined;
  error: string | undefined;
}

/** A value a line, so that a column of a spreadsheet can be pasted. */
export function ValueListInput({ filter, onChange, type, error }: ValueListInputProps) {
  const values = Array.isArray(filter.value) ? filter.value : [];
  const [typed, setTyped] = useState('');
  const listed = values.map(String).join('\n');
  const text = linesOf(typed).join('\n') === listed ? typed : listed;
  return (
    <TextField
      label="Values, one a line"
      isLabelHidden
      placeholder="One a line"
      rows={Math.min(8, Math.max(2, text.split('\n').length))}
      className="min-w-40 flex-1"
      value={text}
      error={error}
      onChange={(changed) => {
        setTyped(changed);
        onChange({ ...filter, value: linesOf(changed).map((line) => readLine(line, values, type)) });
      }}
    />
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A number in a field of numbers; a value that was in the list before keeps its type. */
function readLine(line: string, before: readonly FilterValue[], type: FieldType | undefined): FilterValue {
  const same = before.find((value) => typeof value !== 'string' && String(value) === line);
  return same ?? (type === 'number' ? readNumber(line) : undefined) ?? line;
}
