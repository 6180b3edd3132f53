import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { TextLink } from '../../ui/button.tsx';
import { usageQuery } from './queries.ts';

type Usage = Schema<'TemplateUsage'>;

export function useTemplateUsage(templateId: string) {
  return useQuery(usageQuery(templateId));
}

/** Each workflow once, even if several of its steps and versions send the template. */
function workflowsOf({ workflowSteps, workflowVersions }: Usage): { id: string; name: string }[] {
  const names = new Map(
    [...workflowSteps, ...workflowVersions].map(({ workflowId, workflowName }) => [workflowId, workflowName]),
  );
  return [...names].map(([id, name]) => ({ id, name }));
}

/** Where the template is used. */
export function UsageList({ usage }: { usage: Usage }) {
  const projectId = useProjectId();
  return (
    <ul className="list-disc pl-5">
      {usage.campaigns.map(({ id, name }) => (
        <li key={id}>
          Campaign{' '}
          <TextLink to="/projects/$projectId/campaigns/$campaignId" params={{ projectId, campaignId: id }}>
            {name}
          </TextLink>
        </li>
      ))}
      {workflowsOf(usage).map(({ id, name }) => (
        <li key={id}>
          Workflow{' '}
          <TextLink to="/projects/$projectId/workflows/$workflowId" params={{ projectId, workflowId: id }}>
            {name}
          </TextLink>
        </li>
      ))}
    </ul>
  );
}

export const isUsed = (usage: Usage): boolean => usage.campaigns.length > 0 || workflowsOf(usage).length > 0;
