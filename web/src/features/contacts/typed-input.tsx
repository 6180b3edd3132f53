import { TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { type DataType, dataTypes } from './data-text.ts';

const typeNames: Record<DataType, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  json: 'JSON',
};
export const typeOptions = dataTypes.map((value) => ({ value, label: typeNames[value] }));

interface TypedInputProps {
  label: string;
  text: string;
  type: DataType;
  isLong?: boolean;
  error: string | undefined;
  onChange: (text: string) => void;
}

export function TypedInput({ label, text, type, isLong = false, error, onChange }: TypedInputProps) {
  if (type === 'boolean') {
    return (
      <Select
        label={label}
        isLabelHidden
        className="flex-1"
        options={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        value={text === 'false' ? 'false' : 'true'}
        onChange={onChange}
        error={error}
      />
    );
  }
  return (
    <TextField
      label={label}
      isLabelHidden
      className="flex-1"
      value={text}
      onChange={onChange}
      error={error}
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      {...((type === 'json' || isLong) && { rows: 3 })}
    />
  );
}
