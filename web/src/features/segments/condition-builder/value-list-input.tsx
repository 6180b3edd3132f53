import { useState } from 'react';
import { TextField } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import type { Filter, FilterValue } from './condition.ts';
import { type FieldType, typeWords } from './operators.ts';
import { readNumber } from './read-number.ts';

interface ValueListInputProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  /** Type of the field, if known. Otherwise the user chooses the type of the values. */
  type: FieldType | undefined;
  error: string | undefined;
}

type ListedType = 'string' | 'number';
const types: ListedType[] = ['string', 'number'];

/** A value a line, so that a column of a spreadsheet can be pasted. */
export function ValueListInput({ filter, onChange, type, error }: ValueListInputProps) {
  const values = Array.isArray(filter.value) ? filter.value : [];
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(typeOf(values));
  const read = (text: string) => linesOf(text).map((line) => readLine(line, values, type ?? chosen));
  // As typed, if it means the values: the beginning of "1.5" is a number, too.
  const text = isSame(read(typed), values) ? typed : values.map(String).join('\n');
  return (
    <>
      {type === undefined && (
        <Select
          label="Type of the values"
          isLabelHidden
          className="w-28"
          options={types.map((value) => ({ value, label: typeWords[value] }))}
          value={chosen}
          onChange={(changed) => {
            setChosen(changed);
            onChange({ ...filter, value: values.map((value) => readLine(String(value), [], changed)) });
          }}
        />
      )}
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
          onChange({ ...filter, value: read(changed) });
        }}
      />
    </>
  );
}

const typeOf = (values: readonly FilterValue[]): ListedType =>
  values.some((value) => typeof value === 'number') ? 'number' : 'string';

const isSame = (some: readonly FilterValue[], others: readonly FilterValue[]): boolean =>
  some.length === others.length && some.every((value, at) => value === others[at]);

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A number in a field of numbers; a value that was in the list before stays as it is. */
function readLine(line: string, before: readonly FilterValue[], type: FieldType): FilterValue {
  const same = before.find((value) => String(value).trim() === line);
  return same ?? (type === 'number' ? readNumber(line) : undefined) ?? line;
}
