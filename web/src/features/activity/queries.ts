import { $api } from '../../api/client.ts';
import { chartPeriod, type PeriodLength, type PeriodSearch, toPeriodQuery } from '../../ui/period.ts';
import { type Kind, typesOf } from './kinds.ts';

export const feedInit = ({ kind, ...period }: PeriodSearch & { kind?: Kind | undefined }) => ({
  params: { query: { ...toPeriodQuery(period), ...(kind && { types: typesOf(kind) }), limit: 50 } },
});

/** The queries of the analytics page. */
export function analyticsQueries(period: PeriodLength) {
  const { startDate, before } = chartPeriod(period);
  const interval = period === '24h' ? 'hour' : 'day';
  const timeseries = (query: { startDate: string; endDate?: string }) =>
    $api.queryOptions('get', '/analytics/timeseries', { params: { query: { ...query, interval } } });
  return {
    now: timeseries({ startDate }),
    before: timeseries(before),
    topCampaigns: (metric: 'opens' | 'clicks' | 'sent') =>
      $api.queryOptions('get', '/analytics/top-campaigns', {
        params: { query: { startDate, metric, limit: 10 } },
      }),
    topEvents: $api.queryOptions('get', '/analytics/top-events', {
      params: { query: { startDate, limit: 10 } },
    }),
  };
}
