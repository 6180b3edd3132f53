import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { Dialog, type DialogState } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import { type ApiFormOptions, useApiForm } from './form.ts';

interface OpenFormProps<Values extends FieldValues> extends ApiFormOptions<Values> {
  /** Label of the submit button. */
  action: string;
  onClose: () => void;
  children: (form: UseFormReturn<Values>) => ReactNode;
}

/** A dialog with a form that starts from its default values each time it opens. `save` must close the dialog. */
export function FormDialog<Values extends FieldValues>({
  title,
  isOpen,
  ...form
}: DialogState & OpenFormProps<Values> & { title: string }) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={form.onClose}>
      <OpenForm {...form} />
    </Dialog>
  );
}

function OpenForm<Values extends FieldValues>({
  action,
  onClose,
  children,
  ...options
}: OpenFormProps<Values>) {
  const edit = useApiForm(options);
  return (
    <DialogForm form={edit} action={action} onCancel={onClose}>
      {children(edit.form)}
    </DialogForm>
  );
}
