import { ChoiceFilter } from './choice-filter.tsx';
import { TextField } from './field.tsx';
import { type PeriodLength, type PeriodSearch, periodLengths } from './period.ts';
import type { Option } from './select.tsx';

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
      <ChoiceFilter<NonNullable<PeriodSearch['period']>>
        label="Time"
        every="Any time"
        options={[...lengths, { value: 'days', label: 'Between two days' }]}
        value={period}
        onChange={(chosen) => onChange({ period: chosen, from: undefined, to: undefined })}
        className="w-36"
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
