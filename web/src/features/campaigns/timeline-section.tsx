import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';
import { reportMs, timelineQuery } from './queries.ts';

const series = [
  { key: 'opened', label: 'Opened', color: 'var(--accent)' },
  { key: 'clicked', label: 'Clicked', color: 'var(--good)' },
];

/**
 * Opens and clicks of the first 30 days, by hour while the period is short. Without deliveries: they all happen at once
 * and would flatten the other lines.
 */
export function TimelineSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const query = useQuery({ ...timelineQuery(campaign), refetchInterval: reportMs });
  return (
    <Section title="Over time" description="When each email was first opened and clicked.">
      <Loaded query={query} skeleton={<Skeleton className="h-64 w-full" />}>
        {({ data }) => (
          <TimeChart label="Opened and clicked over time" unit="Emails" points={data} series={series} />
        )}
      </Loaded>
    </Section>
  );
}
