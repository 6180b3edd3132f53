import { useBlocker } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

/** A page shows the form of the selected tab alone. */
const tabOf = (search: object) => ('tab' in search ? search.tab : undefined);

/** Asks before unsaved input is lost by a link, another tab of the page, the back button or closing the browser's tab. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && (current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search)),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Dialog title="Leave without saving?" isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p className="text-muted">What you changed since the last time you saved will be lost.</p>
      <DialogActions>
        <Button look="danger" onPress={() => proceed?.()}>
          Leave
        </Button>
        <Button look="primary" autoFocus onPress={() => reset?.()}>
          Keep editing
        </Button>
      </DialogActions>
    </Dialog>
  );
}
