import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Loaded } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExecutionList } from './execution-list.tsx';
import { GraphEditor } from './graph-editor.tsx';
import { workflowQuery } from './queries.ts';
import { useDefaultView } from './use-default-view.ts';
import { WorkflowActions } from './workflow-actions.tsx';
import { WorkflowBadge } from './workflow-badge.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');

export function WorkflowPage() {
  const projectId = useProjectId();
  const { workflowId } = route.useParams();
  const query = useQuery(workflowQuery(workflowId));
  const workflow = query.data;
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      badge={workflow && <WorkflowBadge enabled={workflow.enabled} />}
      description={workflow?.description}
      back={{ label: 'Workflows', to: '/projects/$projectId/workflows', params: { projectId } }}
      actions={workflow && <WorkflowActions workflow={workflow} />}
    >
      <Loaded query={query}>{(loaded) => <Views workflow={loaded} />}</Loaded>
    </Page>
  );
}

function Views({ workflow }: { workflow: Schema<'WorkflowWithGraph'> }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const defaultView = useDefaultView();
  return (
    <Tabs
      label="Views of the workflow"
      selected={search.view ?? defaultView}
      onSelect={(view) => void navigate({ search: { view }, replace: true })}
      tabs={[
        { id: 'canvas', label: 'Canvas', content: <GraphEditor workflow={workflow} form="canvas" /> },
        { id: 'outline', label: 'Outline', content: <GraphEditor workflow={workflow} form="outline" /> },
        { id: 'executions', label: 'Executions', content: <ExecutionList workflow={workflow} /> },
      ]}
    />
  );
}
