import { useNavigate } from '@tanstack/react-router';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { isUsed, UsageList, useTemplateUsage } from './template-usage.tsx';

interface DeleteTemplateDialogProps {
  template: Schema<'Template'>;
  isOpen: boolean;
  onClose: () => void;
}

/** A template in use can't be deleted; shows its uses instead. */
export function DeleteTemplateDialog({ template, isOpen, onClose }: DeleteTemplateDialogProps) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const { data: usage } = useTemplateUsage(template.id);
  if (usage && isUsed(usage)) {
    return (
      <Dialog title="This template is in use" isOpen={isOpen} onClose={onClose}>
        <p className="mb-2 text-muted">Let these send another template first, then delete it.</p>
        <UsageList usage={usage} />
        <DialogActions>
          <Button onPress={onClose}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title="Delete this template?"
      action="Delete template"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        await api.DELETE('/templates/{id}', { params: { path: { id: template.id } } });
        await navigate({ to: '/projects/$projectId/templates', params: { projectId }, ignoreBlocker: true });
        await refresh('/templates');
        say(`“${template.name}” deleted`);
      }}
    >
      “{template.name}” can’t be restored. Emails that were sent with it stay as they are.
    </ConfirmDialog>
  );
}
