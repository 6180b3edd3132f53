import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { isAdmin, useProject } from '../../shell/session.ts';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DangerZone } from './danger-zone.tsx';
import { Limits } from './limits.tsx';
import { Members } from './members.tsx';
import { ProjectForm } from './project-form.tsx';

const tabsOfAdmins = (project: Schema<'Project'>) => [
  { id: 'members' as const, label: 'Members', content: <Members project={project} /> },
  { id: 'limits' as const, label: 'Limits and billing', content: <Limits projectId={project.id} /> },
  { id: 'danger' as const, label: 'Danger zone', content: <DangerZone project={project} /> },
];

const route = getRouteApi('/signed-in/projects/$projectId/settings');

export function SettingsPage() {
  const project = useProject();
  const { tab = 'project' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        selected={isAdmin(project) ? tab : 'project'}
        onSelect={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          {
            id: 'project',
            label: 'Project',
            content: <ProjectForm project={project} />,
          },
          ...(isAdmin(project) ? tabsOfAdmins(project) : []),
        ]}
      />
    </Page>
  );
}
