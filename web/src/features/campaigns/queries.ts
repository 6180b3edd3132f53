import { $api, type Schema } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import type { outcomes } from './outcomes.ts';

interface CampaignSearch {
  search?: string | undefined;
  status?: Schema<'Campaign'>['status'] | undefined;
  sort?: 'name' | 'updatedAt' | undefined;
  page?: number | undefined;
}

export const campaignListQuery = ({ search, status, sort, page = 1 }: CampaignSearch) =>
  $api.queryOptions('get', '/campaigns', {
    params: {
      query: {
        search,
        status,
        sort,
        dir: sort === 'name' ? 'asc' : 'desc',
        page,
        pageSize: 25,
        body: 'false',
      },
    },
  });

export const campaignQuery = (id: string) =>
  $api.queryOptions('get', '/campaigns/{id}', { params: { path: { id } } });

/** How often to poll campaigns that change by themselves: those being sent, and scheduled ones, which start. */
export function pollMs(campaigns: readonly Pick<Schema<'ListedCampaign'>, 'status'>[]): number | false {
  const has = (wanted: Schema<'ListedCampaign'>['status']) =>
    campaigns.some(({ status }) => status === wanted);
  return has('SENDING') ? 2_000 : has('SCHEDULED') ? 15_000 : false;
}

/** How often a report is polled: opens, clicks and bounces keep arriving. */
export const reportMs = 15_000;

export const figuresQuery = (id: string) =>
  $api.queryOptions('get', '/campaigns/{id}/stats', { params: { path: { id } } });

export const linksQuery = (id: string) =>
  $api.queryOptions('get', '/campaigns/{id}/links', { params: { path: { id } } });

export const recipientsInit = (id: string, outcome: (typeof outcomes)[number] | undefined) => ({
  params: { path: { id }, query: { outcome, limit: 50 } },
});

const hourMs = 3_600_000;
/** For longer periods, an hour would be too narrow to see. */
const hourlyMs = 4 * 24 * hourMs;
const watchedMs = 30 * 24 * hourMs;

/** The first 30 days, in whole hours, whose counts the API caches; by hour while the period is short. */
export function timelineQuery(campaign: Schema<'ListedCampaign'>) {
  const { id, createdAt, startedAt } = campaign;
  const start = (Math.floor(Date.parse(startedAt ?? createdAt) / hourMs) - 1) * hourMs;
  const end = Math.min(Math.ceil(Date.now() / hourMs) * hourMs, start + watchedMs) - 1;
  const interval = end - start > hourlyMs ? 'day' : 'hour';
  const [startDate, endDate] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return $api.queryOptions('get', '/analytics/timeseries', {
    params: { query: { campaignId: id, startDate, endDate, interval } },
  });
}

/** Whether the campaign can still be edited; later it has a report instead. */
export const isUnsent = ({ status }: Schema<'ListedCampaign'>): boolean =>
  status === 'DRAFT' || status === 'SCHEDULED';

/**
 * Whether its number of recipients is only of those gathered so far: they are being gathered, or it was cancelled
 * before all were.
 */
export const isPartial = (campaign: Schema<'ListedCampaign'>): boolean =>
  !isUnsent(campaign) && campaign.frozenAt === null;

/** The report as a cached list has it, or undefined. */
export function listedReport(id: string): Schema<'ListedCampaign'> | undefined {
  const lists = queryClient.getQueriesData<{ data: Schema<'ListedCampaign'>[] }>({
    queryKey: ['get', '/campaigns'],
  });
  const campaign = lists.flatMap(([, list]) => list?.data ?? []).find((listed) => listed.id === id);
  return campaign === undefined || isUnsent(campaign) ? undefined : campaign;
}
