import { useQuery } from '@tanstack/react-query';
import { useProject } from '../../shell/session.ts';
import { ButtonLink, TextLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';
import { LimitNotes } from './limit-notes.tsx';
import { homeQueries } from './queries.ts';
import { SendingHealth } from './sending-health.tsx';
import { SendingNow } from './sending-now.tsx';
import { SetUp } from './set-up.tsx';
import { Upcoming } from './upcoming.tsx';

const series = [
  { key: 'sent', label: 'Sent', color: 'var(--accent)' },
  { key: 'opened', label: 'Opened', color: 'var(--good)' },
  { key: 'clicked', label: 'Clicked', color: 'var(--warn)' },
  { key: 'bounced', label: 'Bounced', color: 'var(--bad)' },
];

export function HomePage() {
  const project = useProject();
  const timeseries = useQuery(homeQueries.timeseries());
  const placeholder = <Skeleton className="h-64 w-full" />;
  return (
    <Page
      title={project.name}
      actions={
        <ButtonLink look="primary" to="/projects/$projectId/campaigns/new" params={{ projectId: project.id }}>
          New campaign
        </ButtonLink>
      }
    >
      <LimitNotes />
      <SetUp projectId={project.id} />
      <Section
        title="Last 30 days"
        actions={
          <TextLink to="/projects/$projectId/activity/analytics" params={{ projectId: project.id }}>
            All figures
          </TextLink>
        }
      >
        <Loaded query={timeseries} skeleton={placeholder}>
          {({ data }) =>
            data.some(({ sent }) => sent > 0) ? (
              <TimeChart label="Emails of the last 30 days" unit="Emails" points={data} series={series} />
            ) : (
              <EmptyState title="Nothing sent in the last 30 days">
                The chart starts with the first email.
              </EmptyState>
            )
          }
        </Loaded>
      </Section>
      <SendingHealth projectId={project.id} />
      <div className="grid gap-8 lg:grid-cols-2">
        <SendingNow />
        <Upcoming />
      </div>
    </Page>
  );
}
