import type { ClickHouse } from '../../analytics/clickhouse.ts';
import {
  campaignFigures,
  type FiguresOfCampaign,
  topCampaigns,
} from '../../analytics/questions/campaign-figures.ts';
import { countBuckets } from '../../analytics/questions/fill-buckets.ts';
import { timeseries } from '../../analytics/questions/timeseries.ts';
import { topEvents } from '../../analytics/questions/top-events.ts';
import { DomainError } from '../../core/errors.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import type {
  CampaignStatsQuery,
  TimeseriesQuery,
  TopCampaignsQuery,
  TopEventsQuery,
} from '../schemas/analytics.ts';
import { toPeriod, whileAvailable } from './read-model.ts';

const maxBuckets = 25_000;

/** Every method throws `SERVICE_UNAVAILABLE` while ClickHouse is down. */
export function createAnalyticsService(clickhouse: ClickHouse, orm: Orm) {
  const withTitles = async (projectId: string, campaigns: FiguresOfCampaign[]) => {
    const ids = campaigns.map((campaign) => campaign.campaignId);
    const titles = await projectEm(orm, projectId).getRepository(Campaign).findTitles(ids);
    return { campaigns, titles: new Map(titles.map((title) => [title.id, title])) };
  };
  return {
    /** @throws DomainError `BAD_REQUEST` for more than 25,000 buckets */
    async timeseries(projectId: string, { interval, campaignId, ...query }: TimeseriesQuery) {
      const period = toPeriod(projectId, query);
      if (countBuckets(period, interval) > maxBuckets) {
        throw new DomainError('BAD_REQUEST', `The period has more than ${maxBuckets} buckets`, {
          suggestion: 'Ask for days instead of hours, or for a shorter period.',
        });
      }
      return whileAvailable(timeseries(clickhouse, period, interval, campaignId));
    },
    async topCampaigns(projectId: string, { metric, limit, ...query }: TopCampaignsQuery) {
      const period = toPeriod(projectId, query);
      return withTitles(projectId, await whileAvailable(topCampaigns(clickhouse, period, metric, limit)));
    },
    async campaignStats(projectId: string, { limit, ...query }: CampaignStatsQuery) {
      const period = toPeriod(projectId, query);
      const { campaigns, totals } = await whileAvailable(campaignFigures(clickhouse, period, limit));
      return { ...(await withTitles(projectId, campaigns)), totals };
    },
    topEvents: async (projectId: string, { limit, ...query }: TopEventsQuery) =>
      whileAvailable(topEvents(clickhouse, toPeriod(projectId, query), limit)),
  };
}
