import { $api, type Schema } from '../../api/client.ts';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';

const hourMs = 3_600_000;
/** Above this, an hour is too narrow to see. */
const hourlyMs = 4 * 24 * hourMs;
const watchedMs = 30 * 24 * hourMs;

const series = [
  { key: 'delivered', label: 'Delivered', color: 'var(--faint)' },
  { key: 'opened', label: 'Opened', color: 'var(--accent)' },
  { key: 'clicked', label: 'Clicked', color: 'var(--good)' },
];

/** Outcomes in the 30 days from the start; by hour while the range is short. */
export function TimelineSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const { id, createdAt, scheduledFor, sentAt } = campaign;
  const start = new Date(scheduledFor ?? sentAt ?? createdAt).getTime() - hourMs;
  // The end of this hour, so that the query key stays the same for a while.
  const end = Math.min(Math.ceil(Date.now() / hourMs) * hourMs - 1, start + watchedMs);
  const interval = end - start > hourlyMs ? 'day' : 'hour';
  const startDate = new Date(start).toISOString();
  const endDate = new Date(end).toISOString();
  const query = $api.useQuery('get', '/analytics/timeseries', {
    params: { query: { campaignId: id, startDate, endDate, interval } },
  });
  return (
    <Section title="Over time" description="When each first happened to an email.">
      <Loaded query={query} skeleton={<Skeleton className="h-64 w-full" />}>
        {({ data }) => (
          <TimeChart label="Delivered, opened and clicked over time" points={data} series={series} />
        )}
      </Loaded>
    </Section>
  );
}
