import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { type BulkOperation, type BulkProgress, type BulkTarget, runBulk } from './bulk-run.ts';

const verbs: Record<BulkOperation, string> = {
  subscribe: 'Subscribe',
  unsubscribe: 'Unsubscribe',
  delete: 'Delete',
};

const consequences: Record<BulkOperation, string> = {
  subscribe:
    'They get campaigns and other marketing again, including contacts suppressed after a bounce or complaint. Do this only with their consent.',
  unsubscribe: 'They get no campaigns and no other marketing until they subscribe again.',
  delete: 'Their data and their history are erased, too. This can’t be undone.',
};

/** From this number on, the user must type the number to delete the contacts. */
const manyContacts = 100;

interface BulkDialogProps {
  operation: BulkOperation;
  target: BulkTarget;
  total: number;
  isOpen: boolean;
  /** `isDone`: contacts may have changed. */
  onClose: (isDone: boolean) => void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { operation, total, isOpen, onClose } = props;
  const ending = useRef(new AbortController());
  return (
    <Dialog
      title={`${verbs[operation]} ${quantity(total, 'contact')}`}
      isOpen={isOpen}
      onClose={() => {
        ending.current.abort();
        onClose(false);
      }}
    >
      <Bulk {...props} ending={ending} />
    </Dialog>
  );
}

function Bulk({
  operation,
  target,
  total,
  onClose,
  ending,
}: BulkDialogProps & { ending: { current: AbortController } }) {
  const [typed, setTyped] = useState('');
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [isOver, setIsOver] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // Stops when the dialog unmounts, because then nobody could stop it.
  useEffect(() => () => ending.current.abort(), [ending]);
  const mustType = operation === 'delete' && total >= manyContacts;
  const run = async () => {
    ending.current = new AbortController();
    setProgress({ done: 0, changed: 0, unchanged: 0, failed: 0 });
    try {
      await runBulk(operation, target, setProgress, ending.current.signal);
    } catch (error) {
      setFailure(error);
    }
    setIsOver(true);
    await refresh('/contacts', '/segments');
  };
  if (progress) {
    return (
      <>
        <Progress progress={progress} total={total} isOver={isOver} />
        <ErrorNote error={failure} className="mt-4" />
        <DialogActions>
          {isOver ? (
            <Button look="primary" onPress={() => onClose(true)}>
              Done
            </Button>
          ) : (
            <Button onPress={() => ending.current.abort()}>Stop after this thousand</Button>
          )}
        </DialogActions>
      </>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <p className="text-muted">{consequences[operation]}</p>
      {mustType && (
        <TextField
          className="mt-4"
          label={`Type ${total} to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
        />
      )}
      <DialogActions>
        <Button onPress={() => onClose(false)}>Cancel</Button>
        <Button
          type="submit"
          look={operation === 'delete' ? 'danger' : 'primary'}
          isDisabled={mustType && typed !== String(total)}
        >
          {verbs[operation]} {quantity(total, 'contact')}
        </Button>
      </DialogActions>
    </form>
  );
}

function Progress({ progress, total, isOver }: { progress: BulkProgress; total: number; isOver: boolean }) {
  const { done, changed, unchanged, failed } = progress;
  return (
    <div role="status" className="flex flex-col gap-2">
      <ProgressLine label="Progress" value={isOver ? total : done} max={total} />
      <p data-numeric>
        {count(done)} of {count(total)}: {count(changed)} changed, {count(unchanged)} as before
        {failed > 0 && `, ${count(failed)} failed`}
      </p>
    </div>
  );
}
