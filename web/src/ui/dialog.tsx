import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { CloseOnBack } from './close-on-back.tsx';
import { ErrorNote } from './error-note.tsx';
import { TextField } from './field.tsx';
import { useFailure } from './use-failure.ts';
import { useIsShown } from './use-leave.ts';

export interface DialogState {
  isOpen: boolean;
  onClose: () => void;
}

interface DialogProps extends DialogState {
  title: string;
  children: ReactNode;
  /** A drawer covers the full height at the right edge. */
  shape?: 'dialog' | 'wide' | 'drawer';
  /** False if the URL holds the open state, as for drawers. */
  closesOnBack?: boolean;
  /** False while it must stay open, such as during work that closing would end. */
  canClose?: boolean;
}

const shapes = {
  dialog: 'm-auto w-full max-w-md rounded-xl',
  wide: 'm-auto w-full max-w-3xl rounded-xl',
  drawer: 'ml-auto h-full w-full max-w-2xl',
};

export function Dialog({ title, isOpen, children, shape = 'dialog', ...props }: DialogProps) {
  const { closesOnBack = shape !== 'drawer', canClose = true } = props;
  const close = () => {
    if (canClose) props.onClose();
  };
  const isTyped = useRef(false);
  useEffect(() => {
    if (!isOpen) isTyped.current = false;
  }, [isOpen]);
  return (
    <ModalOverlay
      isDismissable
      // A press beside the dialog may be a slip; the page of a drawer asks before input is lost.
      shouldCloseOnInteractOutside={() => shape === 'drawer' || !isTyped.current}
      isOpen={isOpen}
      onOpenChange={(open) => !open && close()}
      className={classNames(
        'fixed inset-0 z-40 flex overflow-y-auto bg-black/35 data-[entering]:animate-[fade_120ms]',
        shape !== 'drawer' && 'p-4',
      )}
    >
      <Modal className={classNames('bg-raised shadow-overlay [--surface:var(--raised)]', shapes[shape])}>
        {closesOnBack && <CloseOnBack onClose={close} />}
        <AriaDialog className="flex h-full flex-col outline-none">
          <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-3">
            <Heading slot="title" className="min-w-0 truncate text-lg font-semibold">
              {title}
            </Heading>
            {canClose && (
              <IconButton label="Close" onPress={close}>
                <X className="size-4" />
              </IconButton>
            )}
          </div>
          <div
            className="min-h-0 flex-1 overflow-y-auto p-5"
            onInput={() => {
              isTyped.current = true;
            }}
          >
            {children}
          </div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex justify-end gap-2">{children}</div>;
}

interface ConfirmDialogProps extends DialogState {
  title: string;
  /** Says what will happen and whether it can be undone. */
  children: ReactNode;
  /** Label of the confirm button. */
  action: string;
  /** If it rejects, the dialog stays open and shows the error. */
  onConfirm: () => Promise<unknown>;
  /** Text that the user must type first; for actions that can't be undone. */
  confirmText?: string;
  isDangerous?: boolean;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <Confirmation {...props} />
    </Dialog>
  );
}

function Confirmation({
  children,
  action,
  onClose,
  onConfirm,
  confirmText,
  isDangerous = true,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState('');
  const [isPending, setIsPending] = useState(false);
  const [error, fail] = useFailure();
  const isShown = useIsShown();
  const confirm = async () => {
    // Enter in the field submits even while the button is pending.
    if (isPending) return;
    setIsPending(true);
    try {
      await onConfirm();
      // Another dialog may be open by now.
      if (isShown()) onClose();
    } catch (failure) {
      fail(failure);
      setIsPending(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <div className="text-muted">{children}</div>
      {confirmText !== undefined && (
        <TextField
          className="mt-4"
          label={`Type “${confirmText}” to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
      <ErrorNote error={error} className="mt-4" />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button
          type="submit"
          look={isDangerous ? 'danger' : 'primary'}
          isPending={isPending}
          isDisabled={confirmText !== undefined && typed !== confirmText}
        >
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
