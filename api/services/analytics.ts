import type { ClickHouse } from '../../analytics/clickhouse.ts';
import {
  type CampaignFigures,
  campaignFigures,
  type FiguresOfCampaign,
  topCampaigns,
} from '../../analytics/questions/campaign-figures.ts';
import { countBuckets } from '../../analytics/questions/fill-buckets.ts';
import { type TimeseriesBucket, timeseries } from '../../analytics/questions/timeseries.ts';
import { type TopEvent, topEvents } from '../../analytics/questions/top-events.ts';
import { DomainError } from '../../core/errors.ts';
import type { Orm } from '../../db/orm.ts';
import { type CampaignTitle, findCampaignTitles } from '../../db/repositories/campaigns/campaign-titles.ts';
import type {
  CampaignStatsQuery,
  TimeseriesQuery,
  TopCampaignsQuery,
  TopEventsQuery,
} from '../schemas/analytics.ts';
import { toPeriod, whileAvailable } from './read-model.ts';

/** Campaigns with the titles that those have which still exist. */
export interface CampaignListing {
  campaigns: FiguresOfCampaign[];
  titles: Map<string, CampaignTitle>;
}

/** Figures of a period. Every call throws `SERVICE_UNAVAILABLE` while ClickHouse is away. */
export interface AnalyticsService {
  /** @throws DomainError `BAD_REQUEST` for more buckets than an answer holds */
  timeseries(projectId: string, query: TimeseriesQuery): Promise<TimeseriesBucket[]>;
  topCampaigns(projectId: string, query: TopCampaignsQuery): Promise<CampaignListing>;
  campaignStats(
    projectId: string,
    query: CampaignStatsQuery,
  ): Promise<CampaignListing & { totals: CampaignFigures }>;
  topEvents(projectId: string, query: TopEventsQuery): Promise<TopEvent[]>;
}

/** Almost three years by hour, and every day that can be. */
const maxBuckets = 25_000;

export function createAnalyticsService(clickhouse: ClickHouse, orm: Orm): AnalyticsService {
  const withTitles = async (projectId: string, campaigns: FiguresOfCampaign[]) => {
    const ids = campaigns.map((campaign) => campaign.campaignId);
    return { campaigns, titles: await findCampaignTitles(orm.em.fork(), projectId, ids) };
  };
  return {
    async timeseries(projectId, { interval, ...query }) {
      const period = toPeriod(projectId, query);
      if (countBuckets(period, interval) > maxBuckets) {
        throw new DomainError('BAD_REQUEST', `The period has more than ${maxBuckets} buckets`, {
          suggestion: 'Ask for days instead of hours, or for a shorter period.',
        });
      }
      return whileAvailable(timeseries(clickhouse, period, interval));
    },
    async topCampaigns(projectId, { metric, limit, ...query }) {
      const period = toPeriod(projectId, query);
      return withTitles(projectId, await whileAvailable(topCampaigns(clickhouse, period, metric, limit)));
    },
    async campaignStats(projectId, { limit, ...query }) {
      const period = toPeriod(projectId, query);
      const { campaigns, totals } = await whileAvailable(campaignFigures(clickhouse, period, limit));
      return { ...(await withTitles(projectId, campaigns)), totals };
    },
    topEvents: async (projectId, { limit, ...query }) =>
      whileAvailable(topEvents(clickhouse, toPeriod(projectId, query), limit)),
  };
}
