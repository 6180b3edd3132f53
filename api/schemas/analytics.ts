import { z } from 'zod';
import { campaignRankings } from '../../analytics/questions/campaign-figures.ts';
import { intervals } from '../../analytics/questions/fill-buckets.ts';
import { campaignCounters, rateNames } from '../../core/campaign-rates.ts';
import { idSchema } from '../../core/id-schema.ts';
import { recordOf } from '../../core/record-of.ts';
import { periodQuerySchema } from './activity.ts';
import { limitSchema } from './pagination.ts';

export const timeseriesQuerySchema = periodQuerySchema.extend({
  interval: z.enum(intervals).default('day').describe('Length of a bucket, in UTC.'),
  campaignId: idSchema.optional().describe("Only figures of this campaign's emails."),
});
export type TimeseriesQuery = z.output<typeof timeseriesQuerySchema>;

export const topCampaignsQuerySchema = periodQuerySchema.extend({
  metric: z.enum(campaignRankings).default('opens').describe('Metric to rank campaigns by.'),
  limit: limitSchema(10),
});
export type TopCampaignsQuery = z.output<typeof topCampaignsQuerySchema>;

export const campaignStatsQuerySchema = periodQuerySchema.extend({ limit: limitSchema(50) });
export type CampaignStatsQuery = z.output<typeof campaignStatsQuerySchema>;

export const topEventsQuerySchema = periodQuerySchema.extend({ limit: limitSchema(10) });
export type TopEventsQuery = z.output<typeof topEventsQuerySchema>;

const count = z.int();
const rate = z.number().describe('Percent of the emails sent in the period.');

export const timeseriesSchema = z.object({
  data: z.array(
    z.object({
      date: z
        .string()
        .describe('The UTC day (`2026-01-31`) or the start of the hour (`2026-01-31T09:00:00.000Z`).'),
      ...recordOf(campaignCounters, () => count),
    }),
  ),
});

const figures = {
  ...recordOf(
    campaignCounters.map((counter) => `${counter}Count` as const),
    () => count,
  ),
  ...recordOf(rateNames, () => rate),
};

export const campaignFiguresSchema = z
  .object({
    id: z.uuid(),
    name: z.string().nullable().describe('Null, like subject and status, after the campaign was deleted.'),
    subject: z.string().nullable(),
    status: z.string().nullable(),
    sentAt: z.iso.datetime().nullable(),
    ...figures,
  })
  .meta({ id: 'CampaignFigures' });
export const topCampaignsSchema = z.object({ data: z.array(campaignFiguresSchema) });
export const campaignStatsSchema = z.object({
  data: z.array(campaignFiguresSchema),
  totals: z.object(figures),
});

export const topEventsSchema = z.array(z.object({ name: z.string(), count, previousCount: count }));
