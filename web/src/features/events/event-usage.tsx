import type { operations } from '../../api/schema.d.ts';

type Usage = operations['getEventsByEventNameUsage']['responses'][200]['content']['application/json'];

interface EventUsageProps {
  usage: Usage;
  /** Explains for each what the deletion means. */
  isWarning?: boolean;
}

export function EventUsage({ usage: { segments, workflows }, isWarning = false }: EventUsageProps) {
  if (segments.length + workflows.length === 0) {
    return <p className={isWarning ? '' : 'text-muted'}>No segment and no workflow uses this name.</p>;
  }
  return (
    <ul className={isWarning ? 'list-disc rounded-md bg-warn-soft py-2 pr-3 pl-7 text-warn' : ''}>
      {segments.map(({ id, name }) => (
        <li key={id}>
          Segment “{name}”{isWarning && ' loses the members who were in it for these events'}
        </li>
      ))}
      {workflows.map(({ id, name }) => (
        <li key={id}>
          Workflow “{name}”{isWarning && ' stays, and new events of this name start or continue it'}
        </li>
      ))}
    </ul>
  );
}
