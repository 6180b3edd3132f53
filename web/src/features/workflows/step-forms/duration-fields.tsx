import type { Control, FieldValues, Path } from 'react-hook-form';
import { FormField } from '../../../ui/form-field.tsx';
import { FormSelect } from '../../../ui/form-select.tsx';
import { durationUnits } from '../graph/duration.ts';

interface DurationFieldsProps<Values extends FieldValues> {
  control: Control<Values>;
  amount: Path<Values>;
  unit: Path<Values>;
  label: string;
  hint: string;
}

export function DurationFields<Values extends FieldValues>({
  control,
  amount,
  unit,
  label,
  hint,
}: DurationFieldsProps<Values>) {
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <FormField control={control} name={amount} label={label} hint={hint} inputMode="decimal" />
      <FormSelect
        control={control}
        name={unit}
        label="Unit"
        options={durationUnits.map((one) => ({ value: one, label: one }))}
      />
    </div>
  );
}
