import type { ReactNode } from 'react';
import { type Control, Controller, type FieldValues, type Path } from 'react-hook-form';
import { type Option, Select } from './select.tsx';

interface FormSelectProps<Values extends FieldValues> {
  control: Control<Values>;
  name: Path<Values>;
  label: string;
  options: readonly Option[];
  hint?: ReactNode;
}

/** A select bound to a form. */
export function FormSelect<Values extends FieldValues>({ control, name, ...props }: FormSelectProps<Values>) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <Select {...props} value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
      )}
    />
  );
}
