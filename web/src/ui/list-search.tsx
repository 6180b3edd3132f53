import { SearchField } from './field.tsx';
import { useSearchText } from './use-search-text.ts';

interface ListSearchProps {
  label: string;
  /** From the URL. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Debounced. Shrinks before the filters beside it wrap. */
export function ListSearch({ label, value, onChange }: ListSearchProps) {
  const [text, setText] = useSearchText(value, onChange);
  return (
    <SearchField
      label={label}
      value={text}
      onChange={setText}
      className="sm:max-w-72 sm:min-w-52 sm:flex-1"
    />
  );
}
