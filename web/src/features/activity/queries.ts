import { $api } from '../../api/client.ts';
import {
  type PeriodLength,
  type PeriodSearch,
  periodBefore,
  startOf,
  toPeriodQuery,
} from '../../ui/period.ts';
import { type Kind, typesOf } from './kinds.ts';

export const feedInit = ({ kind, ...period }: PeriodSearch & { kind?: Kind | undefined }) => ({
  params: { query: { ...toPeriodQuery(period), ...(kind && { types: typesOf(kind) }), limit: 50 } },
});

/** Of the page of analytics. */
export function analyticsQueries(period: PeriodLength) {
  const start = startOf(period);
  const startDate = start.toISOString();
  const interval = period === '24h' ? 'hour' : 'day';
  const timeseries = (query: { startDate: string; endDate?: string }) =>
    $api.queryOptions('get', '/analytics/timeseries', { params: { query: { ...query, interval } } });
  return {
    now: timeseries({ startDate }),
    before: timeseries(periodBefore(period, start)),
    topCampaigns: (metric: 'opens' | 'clicks' | 'sent') =>
      $api.queryOptions('get', '/analytics/top-campaigns', {
        params: { query: { startDate, metric, limit: 10 } },
      }),
    topEvents: $api.queryOptions('get', '/analytics/top-events', {
      params: { query: { startDate, limit: 10 } },
    }),
  };
}
