import { useBlocker } from '@tanstack/react-router';
import { Button } from './button.tsx';
import { closesDialog } from './close-on-back.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** Identifies the form on the page: a page shows only the form of the selected tab or step. */
function formOf({ pathname, search }: { pathname: string; search: object }): string {
  // as: routes without these parameters have neither.
  const { tab, step } = search as { tab?: unknown; step?: unknown };
  return JSON.stringify([pathname, tab, step]);
}

/**
 * Asks before unsaved input is lost: through a link, another tab or step of the page, the back button, or closing the
 * browser tab.
 */
export function LeaveGuard({ isDirty, ...words }: { isDirty: boolean } & LeaveWords) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      isDirty && formOf(current) !== formOf(next) && !closesDialog(action),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <LeaveDialog
      {...words}
      isOpen={status === 'blocked'}
      onStay={() => reset?.()}
      onLeave={() => proceed?.()}
      closesOnBack={false}
    />
  );
}

/** For a page that does something other than save. */
interface LeaveWords {
  question?: string;
  loss?: string;
}

interface LeaveDialogProps extends LeaveWords {
  isOpen: boolean;
  onStay: () => void;
  onLeave: () => void;
  closesOnBack?: boolean;
}

/** Also for a button that drops unsaved input without leaving the page. */
export function LeaveDialog(props: LeaveDialogProps) {
  const { isOpen, onStay, onLeave, closesOnBack = true } = props;
  const { question = 'Leave without saving?', loss = 'What you have not saved will be lost.' } = props;
  return (
    <Dialog title={question} isOpen={isOpen} onClose={onStay} closesOnBack={closesOnBack}>
      <p className="text-muted">{loss}</p>
      <DialogActions>
        <Button look="danger" onPress={onLeave}>
          Leave
        </Button>
        <Button look="primary" autoFocus onPress={onStay}>
          Keep editing
        </Button>
      </DialogActions>
    </Dialog>
  );
}
