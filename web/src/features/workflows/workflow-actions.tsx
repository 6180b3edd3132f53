import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { ifMatch } from '../../api/if-match.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say, sayError } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { shownFaults } from './graph/graph.ts';
import { editGraph } from './graph-edits.ts';
import { useDuplicate } from './use-duplicate.ts';
import { DeleteWorkflowDialog, EditWorkflowDialog } from './workflow-dialogs.tsx';

export function WorkflowActions({ workflow }: { workflow: Schema<'WorkflowWithGraph'> }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const duplicate = useDuplicate();
  const [open, setOpen] = useState<'settings' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button onPress={() => setOpen('settings')}>Settings</Button>
      <Menu
        label="More actions"
        actions={[
          { label: 'Duplicate', onAction: () => duplicate(workflow.id) },
          { label: 'Delete …', onAction: () => setOpen('delete'), isDangerous: true },
        ]}
      />
      <EnableButton workflow={workflow} />
      <EditWorkflowDialog workflow={workflow} isOpen={open === 'settings'} onClose={close} />
      <DeleteWorkflowDialog
        workflow={workflow}
        isOpen={open === 'delete'}
        onClose={close}
        onDeleted={() => leave({ to: '/projects/$projectId/workflows', params: { projectId } })}
      />
    </>
  );
}

function EnableButton({ workflow }: { workflow: Schema<'WorkflowWithGraph'> }) {
  const { id, triggerConfig } = workflow;
  const problems = shownFaults(workflow).length;
  const [isPending, setIsPending] = useState(false);
  /** Enables the version that the user has seen; any version may be disabled. */
  const enable = async (enabled: boolean, seen: Schema<'Workflow'>) => {
    setIsPending(true);
    const params = { path: { id }, ...(enabled && { header: ifMatch(seen) }) };
    try {
      const { data } = await editGraph(() => api.PATCH('/workflows/{id}', { params, body: { enabled } }));
      say(
        enabled
          ? `Enabled. From now on, each contact with the event “${triggerConfig.eventName}” enters.`
          : 'Disabled. No new contacts enter; those already in the workflow continue to the end.',
        () => void enable(!enabled, data ?? seen),
      );
    } catch (error) {
      sayError(error);
    }
    setIsPending(false);
  };
  if (workflow.enabled) {
    return (
      <Button isPending={isPending} onPress={() => void enable(false, workflow)}>
        Disable
      </Button>
    );
  }
  return (
    <Button
      look="primary"
      isPending={isPending}
      isDisabled={problems > 0}
      onPress={() => void enable(true, workflow)}
    >
      {problems > 0 ? `Enable (${quantity(problems, 'problem')} left)` : 'Enable'}
    </Button>
  );
}
