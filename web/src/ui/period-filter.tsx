import { TextField } from './field.tsx';
import { type PeriodLength, type PeriodSearch, periodLengths } from './period.ts';
import { type Option, Select } from './select.tsx';

interface PeriodFilterProps {
  value: PeriodSearch;
  /** Sets all three fields: undefined removes a field from the URL. */
  onChange: (period: PeriodSearch) => void;
  lengths?: readonly Option<PeriodLength>[];
}

export function PeriodFilter({ value, onChange, lengths = periodLengths }: PeriodFilterProps) {
  const { period, from, to } = value;
  return (
    <>
      <Select<NonNullable<PeriodSearch['period']> | 'all'>
        label="Time"
        isLabelHidden
        className="w-36"
        options={[
          { value: 'all', label: 'Any time' },
          ...lengths,
          { value: 'days', label: 'Between two days' },
        ]}
        value={period ?? 'all'}
        onChange={(chosen) =>
          onChange({ period: chosen === 'all' ? undefined : chosen, from: undefined, to: undefined })
        }
      />
      {period === 'days' && (
        <>
          <TextField
            label="From"
            isLabelHidden
            type="date"
            value={from ?? ''}
            onChange={(day) => onChange({ period, from: day || undefined, to })}
          />
          <TextField
            label="To"
            isLabelHidden
            type="date"
            value={to ?? ''}
            onChange={(day) => onChange({ period, from, to: day || undefined })}
          />
        </>
      )}
    </>
  );
}
