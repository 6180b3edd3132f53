import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';

interface LeaveProjectDialogProps {
  /** Closed without. */
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
      You see nothing of {project?.name} afterwards, until somebody invites you again.
    </ConfirmDialog>
  );
}
