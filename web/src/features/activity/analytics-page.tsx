import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { periodLengths } from '../../ui/period.ts';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';
import { ActivityViews } from './activity-views.tsx';
import { Figures } from './figures.tsx';
import { comparedPoints, metrics } from './metrics.ts';
import { analyticsQueries } from './queries.ts';
import { TopCampaigns } from './top-campaigns.tsx';
import { TopEvents } from './top-events.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/activity/analytics');

export function AnalyticsPage() {
  const { period = '30d', metric = 'sent' } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = analyticsQueries(period);
  const now = useQuery(queries.now);
  const before = useQuery(queries.before);
  const { label } = metrics.find(({ key }) => key === metric) ?? metrics[0];
  const placeholder = <Skeleton className="h-80 w-full" />;
  return (
    <Page
      title="Activity"
      toolbar={
        <>
          <ActivityViews selected="analytics" />
          <Select
            label="Period"
            isLabelHidden
            className="w-40"
            options={periodLengths}
            value={period}
            onChange={(chosen) => void navigate({ search: { metric, period: chosen } })}
          />
        </>
      }
    >
      <Loaded query={now} skeleton={placeholder}>
        {({ data: current }) => (
          <Loaded query={before} skeleton={placeholder}>
            {({ data: previous }) => (
              <>
                <Figures
                  now={current}
                  before={previous}
                  selected={metric}
                  onSelect={(chosen) =>
                    void navigate({ search: { period, metric: chosen }, resetScroll: false })
                  }
                />
                <TimeChart
                  label={`${label}, compared with the previous period`}
                  unit={metric === 'unsubscribed' ? 'Contacts' : 'Emails'}
                  points={comparedPoints(current, previous, metric)}
                  series={[
                    { key: 'now', label, color: 'var(--accent)' },
                    { key: 'before', label: 'Previous period', color: 'var(--faint)' },
                  ]}
                />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
      <div className="grid gap-8 xl:grid-cols-2">
        <TopCampaigns period={period} />
        <TopEvents period={period} />
      </div>
    </Page>
  );
}
