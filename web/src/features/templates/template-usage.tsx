import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { usageQuery } from './queries.ts';

type Usage = Schema<'TemplateUsage'>;

export function useTemplateUsage(templateId: string) {
  return useQuery(usageQuery(templateId));
}

/** Each once, whichever of its steps and versions send the template. */
function workflowsOf({ workflowSteps, workflowVersions }: Usage): { id: string; name: string }[] {
  const names = new Map(
    [...workflowSteps, ...workflowVersions].map(({ workflowId, workflowName }) => [workflowId, workflowName]),
  );
  return [...names].map(([id, name]) => ({ id, name }));
}

/** Where the template is used. */
export function UsageList({ usage }: { usage: Usage }) {
  return (
    <ul className="list-disc pl-5">
      {usage.campaigns.map(({ id, name }) => (
        <li key={id}>Campaign “{name}”</li>
      ))}
      {workflowsOf(usage).map(({ id, name }) => (
        <li key={id}>Workflow “{name}”</li>
      ))}
    </ul>
  );
}

export const isUsed = (usage: Usage): boolean => usage.campaigns.length > 0 || workflowsOf(usage).length > 0;
