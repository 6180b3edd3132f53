import { api, type Schema } from '../../api/client.ts';
import { useIfMatch } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ConfirmDialog, Dialog, type DialogState } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useIsShown, useOpen } from '../../ui/use-leave.ts';
import { WorkflowForm } from './workflow-form.tsx';

export function CreateWorkflowDialog({ isOpen, onClose }: DialogState) {
  return (
    <Dialog title="New workflow" isOpen={isOpen} onClose={onClose}>
      <CreateWorkflowForm onClose={onClose} />
    </Dialog>
  );
}

function CreateWorkflowForm({ onClose }: Pick<DialogState, 'onClose'>) {
  const projectId = useProjectId();
  const open = useOpen();
  return (
    <WorkflowForm
      action="Create the workflow"
      onCancel={onClose}
      onSave={async ({ description, ...values }) => {
        const { data } = await api.POST('/workflows', {
          body: { ...values, description: description || null },
        });
        await refresh('/workflows');
        if (!data) return;
        await open({
          to: '/projects/$projectId/workflows/$workflowId',
          params: { projectId, workflowId: data.id },
        });
      }}
    />
  );
}

interface WorkflowDialogProps extends DialogState {
  workflow: Schema<'Workflow'>;
}

export function EditWorkflowDialog({ workflow, isOpen, onClose }: WorkflowDialogProps) {
  return (
    <Dialog title="Workflow settings" isOpen={isOpen} onClose={onClose}>
      <EditWorkflowForm workflow={workflow} onClose={onClose} />
    </Dialog>
  );
}

function EditWorkflowForm({ workflow, onClose }: Omit<WorkflowDialogProps, 'isOpen'>) {
  const saveSeen = useIfMatch(workflow, 'this workflow');
  const isShown = useIsShown();
  return (
    <WorkflowForm
      workflow={workflow}
      action="Save"
      onCancel={onClose}
      onSave={async ({ description, ...values }) => {
        const body = { ...values, description: description || null };
        const path = { id: workflow.id };
        await saveSeen((header) => api.PATCH('/workflows/{id}', { params: { path, header }, body }));
        await refresh('/workflows');
        say('Saved');
        if (isShown()) onClose();
      }}
    />
  );
}

/** @param onDeleted leaves the workflow's page before its data is refetched */
export function DeleteWorkflowDialog({
  workflow,
  onDeleted,
  ...state
}: WorkflowDialogProps & { onDeleted?: () => Promise<unknown> }) {
  return (
    <ConfirmDialog
      {...state}
      title="Delete the workflow"
      action="Delete"
      onConfirm={async () => {
        await api.DELETE('/workflows/{id}', { params: { path: { id: workflow.id } } });
        await onDeleted?.();
        await refresh('/workflows');
        say(`“${workflow.name}” is deleted`);
      }}
    >
      “{workflow.name}”, its steps and its execution history are deleted. This can’t be undone. If executions
      are active, cancel them first.
    </ConfirmDialog>
  );
}
