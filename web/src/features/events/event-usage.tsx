import type { operations } from '../../api/schema.d.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { TextLink } from '../../ui/button.tsx';

type Usage = operations['getEventsByEventNameUsage']['responses'][200]['content']['application/json'];

interface EventUsageProps {
  usage: Usage;
  /** Also explains what deleting the event means for each user of it. */
  isWarning?: boolean;
}

export function EventUsage({ usage: { segments, workflows }, isWarning = false }: EventUsageProps) {
  const projectId = useProjectId();
  if (segments.length + workflows.length === 0) {
    return <p className={isWarning ? '' : 'text-muted'}>No segment and no workflow uses this name.</p>;
  }
  return (
    <ul className={isWarning ? 'list-disc rounded-md bg-warn-soft py-2 pr-3 pl-7 text-warn' : ''}>
      {segments.map(({ id, name }) => (
        <li key={id}>
          Segment{' '}
          <TextLink to="/projects/$projectId/segments/$segmentId" params={{ projectId, segmentId: id }}>
            {name}
          </TextLink>
          {isWarning && ' loses the members who are in it because of these events'}
        </li>
      ))}
      {workflows.map(({ id, name }) => (
        <li key={id}>
          Workflow{' '}
          <TextLink to="/projects/$projectId/workflows/$workflowId" params={{ projectId, workflowId: id }}>
            {name}
          </TextLink>
          {isWarning && ' stays, and new events with this name start or continue it'}
        </li>
      ))}
    </ul>
  );
}
