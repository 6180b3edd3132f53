import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { TextLink } from '../../ui/button.tsx';
import { Panel, Section } from '../../ui/page.tsx';
import { homeQueries } from './queries.ts';

const steps = [
  { flag: 'hasVerifiedDomain', label: 'Verify the domain you send from', to: '/projects/$projectId/domains' },
  { flag: 'hasSentEmail', label: 'Send the first email', to: '/projects/$projectId/developers' },
  { flag: 'hasContacts', label: 'Import your contacts', to: '/projects/$projectId/contacts' },
  { flag: 'hasTrackedEvent', label: 'Track an event', to: '/projects/$projectId/developers' },
  { flag: 'hasCampaign', label: 'Write a campaign', to: '/projects/$projectId/campaigns' },
  { flag: 'hasWorkflow', label: 'Build a workflow', to: '/projects/$projectId/workflows' },
] as const satisfies { flag: string; label: string; to: LinkProps['to'] }[];

/** The first steps, until all of them are done. */
export function SetUp({ projectId }: { projectId: string }) {
  const { data } = useQuery(homeQueries.setUp(projectId));
  if (data === undefined || steps.every(({ flag }) => data[flag])) return null;
  const done = steps.filter(({ flag }) => data[flag]).length;
  return (
    <Section title="First steps" description={`${done} of ${steps.length} done`}>
      <Panel className="p-2">
        <ul>
          {steps.map(({ flag, label, to }) => (
            <li key={flag} className="flex items-center gap-3 px-2 py-1.5">
              {data[flag] ? (
                <Check aria-label="Done" className="size-4 text-good" />
              ) : (
                <Circle aria-label="To do" className="size-4 text-faint" />
              )}
              {data[flag] ? (
                <span className="text-muted line-through">{label}</span>
              ) : (
                <TextLink to={to} params={{ projectId }}>
                  {label}
                </TextLink>
              )}
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  );
}
