import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { Button, TextLink } from '../../ui/button.tsx';
import { Panel, Section } from '../../ui/page.tsx';
import { homeQueries } from './queries.ts';

const steps = [
  {
    flag: 'hasVerifiedDomain',
    label: 'Verify the domain you send from',
    note: 'Nothing can be sent until its DNS records are found.',
    to: '/projects/$projectId/domains',
  },
  {
    flag: 'hasContacts',
    label: 'Import your contacts',
    note: 'From a CSV file; you see a preview before anything changes.',
    to: '/projects/$projectId/contacts/import',
  },
  {
    flag: 'hasCampaign',
    label: 'Write a campaign',
    note: 'One email to all contacts, or to those you choose.',
    to: '/projects/$projectId/campaigns/new',
  },
  {
    flag: 'hasSentEmail',
    label: 'Send the first email',
    note: 'A campaign test counts, and so does an email from your application.',
    to: '/projects/$projectId/campaigns',
  },
  {
    flag: 'hasWorkflow',
    label: 'Build a workflow',
    note: 'Emails that are sent automatically, such as after a sign-up.',
    to: '/projects/$projectId/workflows',
  },
  {
    flag: 'hasTrackedEvent',
    label: 'Track an event',
    note: 'For your developers: events start workflows and define segments.',
    to: '/projects/$projectId/developers',
  },
] as const satisfies { flag: string; label: string; note: string; to: LinkProps['to'] }[];

/** The first steps, until all are done or the user hides them in this browser. */
export function SetUp({ projectId }: { projectId: string }) {
  const { data } = useQuery(homeQueries.setUp(projectId));
  const place = `posthaste-set-up-hidden-${projectId}`;
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(place) !== null);
  if (isHidden || data === undefined || steps.every(({ flag }) => data[flag])) return null;
  const hide = () => {
    localStorage.setItem(place, 'true');
    setIsHidden(true);
  };
  const done = steps.filter(({ flag }) => data[flag]).length;
  return (
    <Section
      title="First steps"
      description={`${done} of ${steps.length} done`}
      actions={
        <Button look="quiet" onPress={hide}>
          Hide
        </Button>
      }
    >
      <Panel className="p-2">
        <ul>
          {steps.map(({ flag, label, note, to }) => (
            <li key={flag} className="flex items-start gap-3 px-2 py-1.5">
              {data[flag] ? (
                <Check aria-label="Done" className="mt-0.5 size-4 shrink-0 text-good" />
              ) : (
                <Circle aria-label="To do" className="mt-0.5 size-4 shrink-0 text-faint" />
              )}
              {data[flag] ? (
                <span className="text-muted line-through">{label}</span>
              ) : (
                <span>
                  <TextLink to={to} params={{ projectId }}>
                    {label}
                  </TextLink>
                  <span className="block text-sm text-muted">{note}</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  );
}
