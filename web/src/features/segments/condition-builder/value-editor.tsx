import { Clock } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ComboBox, Select } from '../../../ui/select.tsx';
import { useLast } from '../../../ui/use-last.ts';
import type { Filter, FilterValue } from './condition.ts';
import { NumberInput } from './number-input.tsx';
import { type FieldType, shapeOf, takesText, typeWords, valueTypeOf } from './operators.ts';
import { useFieldValues } from './use-field-values.ts';

interface ValueEditorProps {
  filter: Filter;
  onChange: (value: FilterValue | undefined) => void;
  /** Type of the field, if known. */
  type: FieldType | undefined;
  error: string | undefined;
}

const types: FieldType[] = ['string', 'number', 'boolean', 'date'];
const blank: Record<FieldType, FilterValue> = { string: '', number: 0, boolean: true, date: today() };

/**
 * The value of a comparison. For a field of unknown type, the user also chooses the type of the value. A value that is
 * not a number yet keeps the type of the former one.
 */
export function ValueEditor(props: ValueEditorProps) {
  const { filter, onChange, type } = props;
  const isOpen = type === undefined && /^(data|event|context)\./.test(filter.field);
  const isText = takesText(filter.operator);
  const ownType = valueTypeOf(filter, type);
  const shownType = useLast(filter.value === undefined ? undefined : ownType) ?? ownType;
  return (
    <>
      {isOpen && !isText && (
        <Select
          label="Type of the value"
          isLabelHidden
          className="w-28"
          options={types.map((value) => ({ value, label: typeWords[value] }))}
          value={shownType}
          onChange={(chosen) => onChange(blank[chosen])}
        />
      )}
      <TypedValue {...props} type={isText ? 'string' : shownType} />
    </>
  );
}

function TypedValue({ filter, onChange, type, error }: ValueEditorProps) {
  const { value, field, operator } = filter;
  switch (type) {
    case 'number':
      return <NumberInput label="Value" className="w-32" value={value} onChange={onChange} error={error} />;
    case 'boolean':
      return (
        <Select
          label="Value"
          isLabelHidden
          className="w-40"
          options={
            field === 'subscribed'
              ? [
                  { value: 'true', label: 'Subscribed' },
                  { value: 'false', label: 'Not subscribed' },
                ]
              : [
                  { value: 'true', label: 'Yes' },
                  { value: 'false', label: 'No' },
                ]
          }
          value={value === undefined ? null : value === true ? 'true' : 'false'}
          onChange={(chosen) => onChange(chosen === 'true')}
          error={error}
        />
      );
    case 'date':
      return <DateValue value={String(value ?? '')} onChange={onChange} error={error} />;
    default:
      return (
        <TextValue
          field={field}
          isSuggested={shapeOf(operator) === 'value' && field.startsWith('data.')}
          value={String(value ?? '')}
          onChange={onChange}
          error={error}
        />
      );
  }
}

interface TextValueProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function TextValue({
  field,
  isSuggested,
  ...props
}: TextValueProps & { field: string; isSuggested: boolean }) {
  const options = useFieldValues(isSuggested ? field : '')
    .filter((value) => typeof value === 'string')
    .map((value) => ({ value, label: value }));
  return <ComboBox label="Value" isLabelHidden className="min-w-40 flex-1" options={options} {...props} />;
}

/** A day, compared in UTC, or an instant in the user's time zone; undefined while a part is missing. */
function DateValue({
  value,
  onChange,
  error,
}: Omit<TextValueProps, 'onChange'> & Pick<ValueEditorProps, 'onChange'>) {
  const isMoment = useLast(value === '' ? undefined : value.length > 10) ?? false;
  // Shown as typed until the field is left: other text than the browser's own would end the typing of a part.
  const [typed, setTyped] = useState<string | null>(null);
  const change = (text: string) => {
    setTyped(text);
    const changed = isMoment ? toInstant(text) : text;
    // '' would turn the field into one for text.
    onChange(changed === '' ? undefined : changed);
  };
  return (
    <div className="flex items-start gap-1">
      <TextField
        label={isMoment ? 'Date and time' : 'Date (UTC)'}
        isLabelHidden
        type={isMoment ? 'datetime-local' : 'date'}
        className={isMoment ? 'w-52' : 'w-40'}
        value={typed ?? (isMoment ? toLocal(value) : value)}
        onChange={change}
        onBlur={() => setTyped(null)}
        error={error}
      />
      {!isMoment && <span className="self-center text-xs text-muted">UTC</span>}
      <IconButton
        label={isMoment ? 'Compare with the whole day' : 'Compare with a time of the day'}
        onPress={() => {
          const day = value.slice(0, 10) || today();
          onChange(isMoment ? day : `${day}T00:00:00.000Z`);
        }}
      >
        <Clock className={isMoment ? 'size-4 text-accent-text' : 'size-4'} />
      </IconButton>
    </div>
  );
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** For `datetime-local`, which has no time zone. */
function toLocal(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toInstant(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
