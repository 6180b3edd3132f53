import { useState } from 'react';
import { TextField } from '../../../ui/field.tsx';
import type { Filter } from './condition.ts';
import { readNumber } from './read-number.ts';

interface NumberInputProps {
  label: string;
  className: string;
  value: Filter['value'];
  onChange: (value: number | undefined) => void;
  error: string | undefined;
}

/** Keeps the typed text, such as "1." on the way to "1.5", while it equals the value. */
export function NumberInput({ value, onChange, error, ...props }: NumberInputProps) {
  const [typed, setTyped] = useState('');
  const text = readNumber(typed) === value ? typed : String(value ?? '');
  return (
    <TextField
      {...props}
      isLabelHidden
      inputMode="decimal"
      value={text}
      error={error && value === undefined && text !== '' ? 'Enter a number, such as 1000 or 2.5' : error}
      onChange={(changed) => {
        setTyped(changed);
        onChange(readNumber(changed));
      }}
    />
  );
}
