import { getRouteApi } from '@tanstack/react-router';
import { isAdmin, useProject } from '../../shell/session.ts';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DangerZone } from './danger-zone.tsx';
import { Limits } from './limits.tsx';
import { Members } from './members.tsx';
import { ProjectForm } from './project-form.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/settings');

export function SettingsPage() {
  const project = useProject();
  const { tab = 'project' } = route.useSearch();
  const navigate = route.useNavigate();
  if (!isAdmin(project)) {
    return (
      <Page title="Settings">
        <p className="text-muted">Only owners and admins of the project see and change its settings.</p>
      </Page>
    );
  }
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        selected={tab}
        onSelect={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          {
            id: 'project',
            label: 'Project',
            content: <ProjectForm key={project.id} project={project} />,
          },
          { id: 'members', label: 'Members', content: <Members project={project} /> },
          { id: 'limits', label: 'Limits and billing', content: <Limits projectId={project.id} /> },
          { id: 'danger', label: 'Danger zone', content: <DangerZone project={project} /> },
        ]}
      />
    </Page>
  );
}
