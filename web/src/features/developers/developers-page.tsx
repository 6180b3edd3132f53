import { getRouteApi } from '@tanstack/react-router';
import { apiUrl } from '../../api/client.ts';
import { isAdmin, useProject } from '../../shell/session.ts';
import { OutsideLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Keys } from './keys.tsx';
import { Requests } from './requests.tsx';
import { Rules } from './rules.tsx';
import { Samples } from './samples.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/developers');

export function DevelopersPage() {
  const project = useProject();
  const { tab = 'keys' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title="Developers"
      actions={
        <div className="flex gap-4">
          <OutsideLink href={new URL('docs', apiUrl).href}>API reference</OutsideLink>
          <OutsideLink href={new URL('openapi.json', apiUrl).href}>openapi.json</OutsideLink>
        </div>
      }
    >
      <Tabs
        label="Developers"
        selected={tab}
        onSelect={(chosen) => void navigate({ search: { tab: chosen } })}
        tabs={[
          {
            id: 'keys',
            label: 'API keys',
            content: (
              <div className="flex flex-col gap-8">
                <Keys project={project} />
                <Rules />
              </div>
            ),
          },
          { id: 'samples', label: 'Code samples', content: <Samples project={project} /> },
          { id: 'requests', label: 'Requests', content: <Requests /> },
          {
            id: 'webhooks',
            label: 'Webhook secret',
            content: isAdmin(project) ? (
              <WebhookSecret projectId={project.id} />
            ) : (
              <p className="text-muted">Only owners and admins of the project see the webhook secret.</p>
            ),
          },
        ]}
      />
    </Page>
  );
}
