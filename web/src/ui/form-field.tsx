import { type Control, Controller, type FieldValues, type Path } from 'react-hook-form';
import { TextField, type TextFieldProps } from './field.tsx';

interface FormFieldProps<Values extends FieldValues>
  extends Omit<TextFieldProps, 'value' | 'onChange' | 'error' | 'name' | 'inputRef'> {
  control: Control<Values>;
  name: Path<Values>;
}

/** A text field bound to a form. */
export function FormField<Values extends FieldValues>({ control, name, ...props }: FormFieldProps<Values>) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <TextField
          {...props}
          inputRef={field.ref}
          name={name}
          value={field.value ?? ''}
          onChange={field.onChange}
          onBlur={field.onBlur}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}
