import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogActions, type DialogState } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { isUsed, isUsedByEarlier, UsageList, useTemplateUsage } from './template-usage.tsx';

/** A template that is in use can't be deleted; the dialog then shows its uses. */
export function DeleteTemplateDialog({ template, ...state }: DialogState & { template: Schema<'Template'> }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const { data: usage } = useTemplateUsage(template.id);
  if (usage && isUsed(usage)) {
    return (
      <Dialog {...state} title="This template is in use">
        <p className="mb-2 text-muted">
          Let these send another template first, then delete it.
          {isUsedByEarlier(usage) &&
            ' An earlier version of a workflow is in use until the executions that follow it have ended or are cancelled.'}
        </p>
        <UsageList usage={usage} />
        <DialogActions>
          <Button onPress={state.onClose}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      {...state}
      title="Delete this template?"
      action="Delete template"
      onConfirm={async () => {
        await api.DELETE('/templates/{id}', { params: { path: { id: template.id } } });
        await leave({ to: '/projects/$projectId/templates', params: { projectId } });
        await refresh('/templates');
        say(`“${template.name}” deleted`);
      }}
    >
      “{template.name}” can’t be restored. Emails that were sent with it stay as they are.
    </ConfirmDialog>
  );
}
