import { type Control, Controller, type FieldValues, type Path } from 'react-hook-form';
import { $api } from '../../../api/client.ts';
import { ComboBox } from '../../../ui/select.tsx';

interface EventNameFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: Path<Values>;
  label: string;
  hint?: string;
}

/** Accepts any name: the project knows an event only once it has occurred. */
export function EventNameField<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
}: EventNameFieldProps<Values>) {
  const { data } = $api.useQuery('get', '/events/names', {}, { staleTime: 60_000 });
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <ComboBox
          label={label}
          options={(data?.names ?? []).map((known) => ({ value: known, label: known }))}
          value={field.value ?? ''}
          onChange={field.onChange}
          error={fieldState.error?.message}
          inputRef={field.ref}
          {...(hint !== undefined && { hint })}
        />
      )}
    />
  );
}
