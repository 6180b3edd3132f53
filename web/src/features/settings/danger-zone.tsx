import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { useLeaveProject } from './use-leave-project.ts';

export function DangerZone({ project }: { project: Schema<'Project'> }) {
  const leaveProject = useLeaveProject();
  const params = { path: { id: project.id } };
  const [asked, setAsked] = useState<'reset' | 'delete' | null>(null);
  const reset = async () => {
    await api.POST('/users/@me/projects/{id}/reset', { params, body: { confirm: project.name } });
    await queryClient.invalidateQueries();
    say('The project is being emptied.');
  };
  const remove = async () => {
    await api.DELETE('/users/@me/projects/{id}', { params });
    await leaveProject();
    say(`${project.name} is deleted.`);
  };
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <Panel className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p className="font-medium">Empty the project</p>
          <p className="text-sm text-muted">
            Deletes contacts, emails, templates, campaigns, segments, workflows and events. Keys, domains and
            members stay.
          </p>
        </div>
        <Button look="danger" onPress={() => setAsked('reset')}>
          Empty the project
        </Button>
      </Panel>
      {project.role === 'OWNER' && (
        <Panel className="flex flex-wrap items-center justify-between gap-3">
          <div>
            <p className="font-medium">Delete the project</p>
            <p className="text-sm text-muted">Deletes everything, and its keys stop working at once.</p>
          </div>
          <Button look="danger" onPress={() => setAsked('delete')}>
            Delete the project
          </Button>
        </Panel>
      )}
      <ConfirmDialog
        title="Empty the project"
        action="Delete its data"
        confirmText={project.name}
        isOpen={asked === 'reset'}
        onClose={() => setAsked(null)}
        onConfirm={reset}
      >
        Every contact, email, template, campaign, segment, workflow and event is deleted. This can’t be
        undone.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete the project"
        action="Delete for good"
        confirmText={project.name}
        isOpen={asked === 'delete'}
        onClose={() => setAsked(null)}
        onConfirm={remove}
      >
        The project, its data and its keys are deleted. This can’t be undone.
      </ConfirmDialog>
    </div>
  );
}
