import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { type BulkOperation, type BulkProgress, type BulkTarget, runBulk } from './bulk-run.ts';
import { refreshContacts } from './refresh-contacts.ts';

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

type Stage = 'before' | 'running' | 'after';

interface BulkDialogProps {
  operation: BulkOperation;
  target: BulkTarget;
  total: number;
  isOpen: boolean;
  /** `isDone`: contacts may have changed. */
  onClose: (isDone: boolean) => void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { operation, total, isOpen } = props;
  const [stage, setStage] = useState<Stage>('before');
  const close = () => props.onClose(stage === 'after');
  return (
    <Dialog
      title={`${verbs[operation]} ${quantity(total, 'contact')}`}
      isOpen={isOpen}
      canClose={stage !== 'running'}
      onClose={close}
    >
      <Bulk {...props} stage={stage} onStage={setStage} onClose={close} />
    </Dialog>
  );
}

interface BulkProps extends Omit<BulkDialogProps, 'onClose'> {
  stage: Stage;
  onStage: (stage: Stage) => void;
  onClose: () => void;
}

function Bulk({ operation, target, total, stage, onStage, onClose }: BulkProps) {
  const [typed, setTyped] = useState('');
  const [progress, setProgress] = useState<BulkProgress>({ done: 0, changed: 0, unchanged: 0, failed: 0 });
  const [isComplete, setIsComplete] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const ending = useRef(new AbortController());
  // Stops when the dialog unmounts, because then nobody could stop it.
  useEffect(() => () => ending.current.abort(), []);
  const mustType = operation === 'delete' && total >= manyContacts;
  const run = async () => {
    // Effects run twice in development, so the first one may be aborted.
    ending.current = new AbortController();
    const { signal } = ending.current;
    onStage('running');
    try {
      await runBulk(operation, target, setProgress, signal);
      setIsComplete(!signal.aborted);
    } catch (error) {
      setFailure(error);
    }
    onStage('after');
    await refreshContacts();
  };
  if (stage !== 'before') {
    return (
      <>
        <Progress progress={progress} total={total} isComplete={isComplete} />
        <ErrorNote error={failure} className="mt-4" />
        <DialogActions>
          {stage === 'after' ? (
            <Button look="primary" onPress={onClose}>
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
        <Button onPress={onClose}>Cancel</Button>
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

interface ProgressProps {
  progress: BulkProgress;
  total: number;
  /** Whether none are left, even if fewer were found than counted. */
  isComplete: boolean;
}

function Progress({ progress, total, isComplete }: ProgressProps) {
  const { done, changed, unchanged, failed } = progress;
  return (
    <div role="status" className="flex flex-col gap-2">
      <ProgressLine label="Progress" value={isComplete ? total : done} max={total} />
      <p data-numeric>
        {count(done)} of {count(total)}: {count(changed)} changed, {count(unchanged)} as before
        {failed > 0 && `, ${count(failed)} failed`}
      </p>
    </div>
  );
}
