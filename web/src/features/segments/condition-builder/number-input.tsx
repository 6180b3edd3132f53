import { useState } from 'react';
import { TextField } from '../../../ui/field.tsx';
import type { FilterValue } from './condition.ts';

interface NumberInputProps {
  label: string;
  className: string;
  value: FilterValue | undefined;
  onChange: (value: number | undefined) => void;
  error: string | undefined;
}

const toNumber = (text: string): number | undefined => {
  const number = Number(text.trim().replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
};

/** Keeps the typed text, such as "1." on the way to "1.5", while it equals the value. */
export function NumberInput({ value, onChange, ...props }: NumberInputProps) {
  const [typed, setTyped] = useState('');
  const text = toNumber(typed) === value ? typed : String(value ?? '');
  return (
    <TextField
      {...props}
      isLabelHidden
      inputMode="decimal"
      value={text}
      onChange={(changed) => {
        setTyped(changed);
        onChange(toNumber(changed));
      }}
    />
  );
}
