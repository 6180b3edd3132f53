import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from './button.tsx';
import { DialogActions } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import type { ApiForm } from './form.ts';

interface DialogFormProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  /** Label of the submit button. */
  action: string;
  onCancel: () => void;
  children: ReactNode;
}

/** A form in a dialog: its fields, errors that belong to no field, and the two buttons. */
export function DialogForm<Values extends FieldValues>(props: DialogFormProps<Values>) {
  const { form, action, onCancel, children } = props;
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      {children}
      <ErrorNote error={form.failure} />
      <DialogActions>
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isPending={form.form.formState.isSubmitting}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
