import { type Option, Select } from './select.tsx';

export interface ChoiceFilterProps<Value extends string> {
  label: string;
  /** Shown when nothing is selected. */
  every: string;
  options: readonly Option<Value>[];
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  className: string;
}

/** A filter of a list: one of the options, or undefined for all rows. */
export function ChoiceFilter<Value extends string>(props: ChoiceFilterProps<Value>) {
  const { every, options, value, onChange, ...rest } = props;
  return (
    <Select<Value | 'all'>
      {...rest}
      isLabelHidden
      options={[{ value: 'all', label: every }, ...options]}
      value={value ?? 'all'}
      onChange={(chosen) => onChange(chosen === 'all' ? undefined : chosen)}
    />
  );
}
