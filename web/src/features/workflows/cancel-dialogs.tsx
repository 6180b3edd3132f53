import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say } from '../../ui/toast.tsx';

export function CancelExecutionDialog({
  execution: { id, workflowId, contactEmail },
  ...state
}: DialogState & { execution: Schema<'WorkflowExecution'> }) {
  return (
    <ConfirmDialog
      {...state}
      title="Cancel the execution"
      action="Cancel the execution"
      onConfirm={async () => {
        await api.DELETE('/workflows/{id}/executions/{executionId}', {
          params: { path: { id: workflowId, executionId: id } },
        });
        await refresh('/workflows');
        say('Cancelled');
      }}
    >
      {contactEmail ?? 'This contact'} enters no further step. This can’t be undone.
    </ConfirmDialog>
  );
}

export function CancelAllDialog({ workflowId, ...state }: DialogState & { workflowId: string }) {
  return (
    <ConfirmDialog
      {...state}
      title="Cancel all executions"
      action="Cancel all"
      onConfirm={async () => {
        const { data } = await api.POST('/workflows/{id}/executions/cancel-all', {
          params: { path: { id: workflowId } },
        });
        await refresh('/workflows');
        if (data) say(`${quantity(data.cancelled, 'execution')} cancelled`);
      }}
    >
      Contacts who are in the workflow now enter no further step. New contacts still enter while it is
      enabled. This can’t be undone.
    </ConfirmDialog>
  );
}
