import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';
import { timelineQuery } from './queries.ts';

const series = [
  { key: 'delivered', label: 'Delivered', color: 'var(--faint)' },
  { key: 'opened', label: 'Opened', color: 'var(--accent)' },
  { key: 'clicked', label: 'Clicked', color: 'var(--good)' },
];

/** Outcomes in the 30 days from the start; by hour while the range is short. */
export function TimelineSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const query = useQuery(timelineQuery(campaign));
  return (
    <Section title="Over time" description="When each first happened to an email.">
      <Loaded query={query} skeleton={<Skeleton className="h-64 w-full" />}>
        {({ data }) => (
          <TimeChart
            label="Delivered, opened and clicked over time"
            unit="Emails"
            points={data}
            series={series}
          />
        )}
      </Loaded>
    </Section>
  );
}
