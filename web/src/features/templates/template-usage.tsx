import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { TextLink } from '../../ui/button.tsx';
import { usageQuery } from './queries.ts';

type Usage = Schema<'TemplateUsage'>;

export function useTemplateUsage(templateId: string) {
  return useQuery(usageQuery(templateId));
}

interface UsingWorkflow {
  id: string;
  name: string;
  /** None of its steps sends the template any more, but executions of an earlier version do. */
  isEarlier: boolean;
}

/** Each workflow once, even if several of its steps and versions send the template. */
function workflowsOf({ workflowSteps, workflowVersions }: Usage): UsingWorkflow[] {
  const edited = new Map(workflowSteps.map(({ workflowId, workflowName }) => [workflowId, workflowName]));
  const earlier = new Map(workflowVersions.map(({ workflowId, workflowName }) => [workflowId, workflowName]));
  return [...new Map([...edited, ...earlier])].map(([id, name]) => ({
    id,
    name,
    isEarlier: !edited.has(id),
  }));
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
      {workflowsOf(usage).map(({ id, name, isEarlier }) => (
        <li key={id}>
          Workflow{' '}
          <TextLink to="/projects/$projectId/workflows/$workflowId" params={{ projectId, workflowId: id }}>
            {name}
          </TextLink>
          {isEarlier && ', in an earlier version that is still in use'}
        </li>
      ))}
    </ul>
  );
}

export const isUsed = (usage: Usage): boolean => usage.campaigns.length > 0 || workflowsOf(usage).length > 0;

export const isUsedByEarlier = (usage: Usage): boolean =>
  workflowsOf(usage).some(({ isEarlier }) => isEarlier);
