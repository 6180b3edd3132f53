import { useEffect, useRef, useState } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { ProgressLine } from '../../ui/progress-line.tsx';
import {
  type BulkChange,
  type BulkOperation,
  type BulkProgress,
  type BulkTarget,
  runBulk,
} from './bulk-run.ts';
import { refreshContacts } from './refresh-contacts.ts';
import { type ChosenSegment, idOfChosen, isNone, noSegment, SegmentChoice } from './segment-choice.tsx';

const verbs: Record<BulkOperation, string> = {
  subscribe: 'Subscribe',
  unsubscribe: 'Unsubscribe',
  delete: 'Delete',
  add: 'Add',
};

const consequences: Record<BulkOperation, string> = {
  subscribe:
    'They get campaigns and other marketing again, including contacts suppressed after a bounce or complaint. Do this only with their consent.',
  unsubscribe: 'They get no campaigns and no other marketing until they subscribe again.',
  delete: 'Their data and their history are erased, too. This can’t be undone.',
  add: 'They become members of a static segment. The members of other segments follow a condition.',
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
      title={`${verbs[operation]} ${quantity(total, 'contact')}${operation === 'add' ? ' to a segment' : ''}`}
      isOpen={isOpen}
      canClose={stage !== 'running'}
      onClose={close}
    >
      <Bulk {...props} stage={stage} onStage={setStage} onClose={close} />
    </Dialog>
  );
}

/** The change that the user chose: contacts may also join a segment that does not exist yet. */
type Chosen = { operation: Exclude<BulkOperation, 'add'> } | { operation: 'add'; segment: ChosenSegment };

const changeOf = async (chosen: Chosen): Promise<BulkChange> =>
  chosen.operation === 'add' ? { operation: 'add', segmentId: await idOfChosen(chosen.segment) } : chosen;

interface BulkProps extends Omit<BulkDialogProps, 'onClose'> {
  stage: Stage;
  onStage: (stage: Stage) => void;
  onClose: () => void;
}

function Bulk({ operation, target, total, stage, onStage, onClose }: BulkProps) {
  const [progress, setProgress] = useState<BulkProgress>({ done: 0, changed: 0, unchanged: 0, failed: 0 });
  const [isComplete, setIsComplete] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [segmentId, setSegmentId] = useState<string | null>(null);
  const ending = useRef(new AbortController());
  // Stops when the dialog unmounts, because then nobody could stop it.
  useEffect(() => () => ending.current.abort(), []);
  const run = async (chosen: Chosen) => {
    // Effects run twice in development, so the first one may be aborted.
    ending.current = new AbortController();
    const { signal } = ending.current;
    onStage('running');
    try {
      const change = await changeOf(chosen);
      if (change.operation === 'add') setSegmentId(change.segmentId);
      await runBulk(change, target, setProgress, signal);
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
            <>
              {segmentId !== null && <SegmentLink segmentId={segmentId} />}
              <Button look="primary" onPress={onClose}>
                Done
              </Button>
            </>
          ) : (
            <Button onPress={() => ending.current.abort()}>Stop after this thousand</Button>
          )}
        </DialogActions>
      </>
    );
  }
  return (
    <Choice operation={operation} total={total} onCancel={onClose} onStart={(chosen) => void run(chosen)} />
  );
}

function SegmentLink({ segmentId }: { segmentId: string }) {
  const projectId = useProjectId();
  return (
    <ButtonLink to="/projects/$projectId/segments/$segmentId" params={{ projectId, segmentId }} search={{}}>
      Show the segment
    </ButtonLink>
  );
}

interface ChoiceProps extends Pick<BulkProps, 'operation' | 'total'> {
  onCancel: () => void;
  onStart: (chosen: Chosen) => void;
}

function Choice({ operation, total, onCancel, onStart }: ChoiceProps) {
  const [typed, setTyped] = useState('');
  const [segment, setSegment] = useState(noSegment);
  const mustType = operation === 'delete' && total >= manyContacts;
  const isIncomplete = operation === 'add' ? isNone(segment) : mustType && typed !== String(total);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onStart(operation === 'add' ? { operation, segment } : { operation });
      }}
    >
      <p className="text-muted">{consequences[operation]}</p>
      {operation === 'add' && (
        <div className="mt-4">
          <SegmentChoice value={segment} onChange={setSegment} />
        </div>
      )}
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
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" look={operation === 'delete' ? 'danger' : 'primary'} isDisabled={isIncomplete}>
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
