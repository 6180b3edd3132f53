import type { FiguresOfCampaign } from '../../analytics/questions/campaign-figures.ts';
import type { CampaignTitle } from '../../db/entities/campaign.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { presentFigures } from '../presenters/campaign.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/analytics.ts';

function presentCampaign(figures: FiguresOfCampaign, titles: ReadonlyMap<string, CampaignTitle>) {
  const { campaignId: id } = figures;
  const { name, subject, status, sentAt } = titles.get(id) ?? {};
  return present(schemas.campaignFiguresSchema, {
    id,
    name,
    subject,
    status,
    sentAt,
    ...presentFigures(figures),
  });
}

const totals = {
  sentCount: 1200,
  deliveredCount: 1188,
  openedCount: 480,
  clickedCount: 96,
  bouncedCount: 6,
  complainedCount: 0,
  unsubscribedCount: 3,
  deliveryRate: 99,
  openRate: 40,
  clickRate: 8,
  bounceRate: 0.5,
  complaintRate: 0,
  unsubscribeRate: 0.25,
};
const campaign = {
  id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
  name: 'December news',
  subject: 'News for you',
  status: 'SENT',
  sentAt: '2026-01-31T09:12:00.000Z',
  ...totals,
};

export const readTimeseries = defineRoute('GET /analytics/timeseries', {
  summary: 'Activity by hour or by day',
  description:
    'The last 30 days by default, oldest first, with every UTC hour or day that the period touches. Each ' +
    'email counts once per metric, in the bucket of its first occurrence (a click implies an open), so ' +
    'the buckets add up to `GET /activity/stats`. `bounced` counts permanent bounces; `unsubscribed` ' +
    'leaves out contacts unsubscribed by a bounce or complaint. At most 25,000 buckets.',
  query: schemas.timeseriesQuerySchema,
  responses: ok('The buckets.', schemas.timeseriesSchema, {
    data: [
      {
        date: '2026-01-31',
        sent: 1200,
        delivered: 1188,
        opened: 480,
        clicked: 96,
        bounced: 6,
        complained: 0,
        unsubscribed: 3,
      },
    ],
  }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    ctx.body = { data: await ctx.services.analytics.timeseries(project.id, query) };
  },
});

export const topCampaigns = defineRoute('GET /analytics/top-campaigns', {
  summary: 'Campaigns with the most opens, clicks or emails',
  description:
    'Counts activity on campaign emails in the period, by default the last 30 days. Campaigns with a ' +
    'count of 0 come last, newest first. `limit` is at most 100; larger values count as 100.',
  query: schemas.topCampaignsQuerySchema,
  responses: ok('The best first.', schemas.topCampaignsSchema, { data: [campaign] }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const { campaigns, titles } = await ctx.services.analytics.topCampaigns(project.id, query);
    ctx.body = { data: campaigns.map((figures) => presentCampaign(figures, titles)) };
  },
});

export const campaignStatistics = defineRoute('GET /analytics/campaign-stats', {
  summary: 'Counts and rates per campaign and in total',
  description:
    'Counts activity on campaign emails in the period, by default the last 30 days. Newest campaigns ' +
    'first, at most `limit` (up to 100); `totals` covers all campaigns of the period.',
  query: schemas.campaignStatsQuerySchema,
  responses: ok('Campaigns with activity in the period.', schemas.campaignStatsSchema, {
    data: [campaign],
    totals,
  }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const found = await ctx.services.analytics.campaignStats(project.id, query);
    const data = found.campaigns.map((figures) => presentCampaign(figures, found.titles));
    ctx.body = { data, totals: presentFigures(found.totals) };
  },
});

export const topEvents = defineRoute('GET /analytics/top-events', {
  summary: 'The most frequent events',
  description:
    'Tracked and emitted events, by default of the last 30 days. `previousCount` covers the preceding ' +
    'period of the same length. `limit` is at most 100; larger values count as 100.',
  query: schemas.topEventsQuerySchema,
  responses: ok('The most frequent first.', schemas.topEventsSchema, [
    { name: 'order placed', count: 412, previousCount: 388 },
  ]),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    ctx.body = await ctx.services.analytics.topEvents(project.id, query);
  },
});
