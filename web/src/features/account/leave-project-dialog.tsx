import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';

interface LeaveProjectDialogProps {
  /** The dialog is closed while this is null. */
  project: Schema<'Project'> | null;
  userId: string;
  onClose: () => void;
}

export function LeaveProjectDialog({ project, userId, onClose }: LeaveProjectDialogProps) {
  return (
    <ConfirmDialog
      title="Leave the project"
      action="Leave"
      isOpen={project !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (project === null) return;
        const params = { path: { id: project.id, userId } };
        await api.DELETE('/projects/{id}/members/{userId}', { params });
        await refresh('/users/@me/projects');
        say(`You have left ${project.name}.`);
      }}
    >
      You lose access to {project?.name} until somebody invites you again.
    </ConfirmDialog>
  );
}
