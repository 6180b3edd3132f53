import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { AddStepMenu } from './add-step-menu.tsx';
import { branchWords, type OpenEnd, type Transition } from './graph/graph.ts';
import { useGraphView } from './graph-view.ts';

/** Inserts a step into a transition, or deletes the transition. */
export function TransitionMenu({ transition }: { transition: Transition }) {
  const { graph, edits } = useGraphView();
  const nameOf = (id: string) => graph.steps.find((step) => step.id === id)?.name ?? '';
  const from = graph.steps.find(({ id }) => id === transition.fromStepId);
  if (edits === null) return null;
  const label = `Insert a step between ${nameOf(transition.fromStepId)} and ${nameOf(transition.toStepId)}`;
  const separate = {
    label: 'Use a path per outcome',
    onAction: () => edits.separate(transition, from?.config.timeout !== undefined),
  };
  return (
    <AddStepMenu
      label={label}
      hasExit={false}
      onAdd={(type) => edits.insert(transition, type)}
      others={[
        ...(from?.type === 'WAIT_FOR_EVENT' && transition.branch === null ? [separate] : []),
        { label: 'Remove this connection', onAction: () => edits.disconnect(transition), isDangerous: true },
      ]}
      trigger={
        <AriaButton
          aria-label={label}
          isPending={edits.isBusy}
          className="inline-flex size-6 items-center justify-center rounded-full border border-line-strong bg-canvas text-muted hover:bg-hover hover:text-ink data-pending:opacity-40"
        >
          <Plus aria-hidden className="size-3.5" />
        </AriaButton>
      }
    />
  );
}

/** Continues an open path with a new or an existing step. */
export function EndMenu({ end }: { end: OpenEnd }) {
  const { graph, edits } = useGraphView();
  const [isConnecting, setIsConnecting] = useState(false);
  if (edits === null) return null;
  const from = graph.steps.find(({ id }) => id === end.fromStepId)?.name ?? '';
  const branch = end.branch === null ? '' : `, ${branchWords[end.branch].toLowerCase()}`;
  return (
    <>
      <AddStepMenu
        label={`Add a step after ${from}${branch}`}
        hasExit
        onAdd={(type) => edits.append(end, type)}
        others={[{ label: 'Connect to an existing step …', onAction: () => setIsConnecting(true) }]}
        trigger={
          <AriaButton
            aria-label={`Add a step after ${from}${branch}`}
            isPending={edits.isBusy}
            className="inline-flex h-8 w-32 items-center justify-center gap-1.5 rounded-md border border-dashed border-line-strong bg-canvas text-sm text-muted hover:bg-hover hover:text-ink data-pending:opacity-40"
          >
            <Plus aria-hidden className="size-3.5" />
            Add a step
          </AriaButton>
        }
      />
      <Dialog
        title="Connect to an existing step"
        isOpen={isConnecting}
        onClose={() => setIsConnecting(false)}
      >
        <ConnectForm end={end} onClose={() => setIsConnecting(false)} />
      </Dialog>
    </>
  );
}

function ConnectForm({ end, onClose }: { end: OpenEnd; onClose: () => void }) {
  const { graph, edits } = useGraphView();
  const [chosen, setChosen] = useState<string | null>(null);
  const targets = graph.steps.filter(({ type }) => type !== 'TRIGGER');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === null) return;
        edits?.connect(end, chosen);
        onClose();
      }}
    >
      <Select
        label="Step"
        options={targets.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={setChosen}
        hint="A path that leads back creates a loop, which must contain a delay or a wait."
      />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={chosen === null}>
          Connect
        </Button>
      </DialogActions>
    </form>
  );
}
