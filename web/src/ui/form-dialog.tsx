import type { NavigateOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { Dialog, type DialogState } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import { type ApiFormOptions, useApiForm } from './form.ts';
import { useIsShown, useOpen } from './use-leave.ts';

/** Closes the dialog and opens a page. A user who has closed it meanwhile stays where they are. */
type Finish = (page?: NavigateOptions) => Promise<void>;

interface OpenFormProps<Values extends FieldValues> extends Omit<ApiFormOptions<Values>, 'save'> {
  /** Calls `finish` once it has saved. `form` takes errors that are only found while saving. */
  save: (values: Values, finish: Finish, form: UseFormReturn<Values>) => Promise<unknown>;
  /** Label of the submit button. */
  action: string;
  onClose: () => void;
  children: (form: UseFormReturn<Values>) => ReactNode;
}

/** A dialog with a form that starts from its default values each time it opens. */
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
  save,
  children,
  ...options
}: OpenFormProps<Values>) {
  const open = useOpen();
  const isShown = useIsShown();
  const finish: Finish = async (page) => {
    if (!isShown()) return;
    onClose();
    if (page) await open(page);
  };
  const edit = useApiForm({ ...options, save: (values, form) => save(values, finish, form) });
  return (
    <DialogForm form={edit} action={action} onCancel={onClose}>
      {children(edit.form)}
    </DialogForm>
  );
}
