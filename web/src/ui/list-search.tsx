import { useEffect, useEffectEvent, useState } from 'react';
import { SearchField } from './field.tsx';
import { useDebounced } from './use-debounced.ts';

interface ListSearchProps {
  label: string;
  /** From the URL. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Debounced. */
export function ListSearch({ label, value, onChange }: ListSearchProps) {
  const [text, setText] = useState(value ?? '');
  const settled = useDebounced(text.trim()) || undefined;
  const change = useEffectEvent(onChange);
  const current = useEffectEvent(() => value);
  useEffect(() => {
    if (settled !== current()) change(settled);
  }, [settled]);
  return <SearchField label={label} value={text} onChange={setText} />;
}
