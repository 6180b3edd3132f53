import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import type { RecordForm } from './use-record-form.ts';

/** Shown when another user or tab has changed the record. */
export function ConflictDialog({ conflict }: { conflict: RecordForm<never>['conflict'] }) {
  return (
    <Dialog
      title="Someone else has saved a change"
      isOpen={conflict !== null}
      onClose={() => conflict?.close()}
    >
      <p className="text-muted">
        Since you opened this page, another version was saved, perhaps in another tab. Keep yours, and theirs
        is replaced; or load theirs, and yours can be restored from the message that follows.
      </p>
      <DialogActions>
        <Button onPress={() => conflict?.loadTheirs()}>Load theirs</Button>
        <Button look="primary" onPress={() => void conflict?.keepMine()}>
          Keep mine
        </Button>
      </DialogActions>
    </Dialog>
  );
}
