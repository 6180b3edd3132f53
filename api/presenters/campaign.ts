import { z } from 'zod';
import { type CampaignCounters, campaignRates } from '../../core/campaign-rates.ts';
import type { CampaignRecord } from '../../db/repositories/campaigns/campaign-records.ts';
import { contentTypeSchema } from './template.ts';

export const campaignStatusSchema = z.enum(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED']);
export const audienceTypeSchema = z.enum(['ALL', 'SEGMENT', 'FILTERED']);

const count = (description: string) => z.number().int().describe(description);

export const campaignSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string(),
    body: z.string(),
    from: z.string(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: contentTypeSchema,
    status: campaignStatusSchema,
    audienceType: audienceTypeSchema,
    audienceCondition: z.record(z.string(), z.unknown()).nullable().describe('Set when FILTERED.'),
    segmentId: z.uuid().nullable().describe('Set when SEGMENT.'),
    scheduledFor: z.iso.datetime().nullable(),
    cancelReason: z.string().nullable().describe('Why the service itself cancelled it.'),
    progress: z
      .number()
      .nullable()
      .describe('Percent of the recipients that have had their turn, 0 to 100; null unless SENDING.'),
    totalRecipients: count('An estimate until sending starts, then the size of the frozen audience.'),
    sentCount: count('Emails handed over to the provider.'),
    deliveredCount: count('Recipients whose mail server took the email.'),
    openedCount: count('Recipients who opened it; a click counts as an open.'),
    clickedCount: count('Recipients who followed a link.'),
    bouncedCount: count('Recipients with a hard bounce.'),
    complainedCount: count('Recipients who reported it as spam.'),
    unsubscribedCount: count('Recipients who opted out or snoozed through it.'),
    projectId: z.uuid(),
    sentAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });

export type CampaignAnswer = z.output<typeof campaignSchema>;

function progressOf(row: CampaignRecord): number | null {
  if (row.status !== 'SENDING') return null;
  if (row.frozenAt === null || row.totalRecipients === 0) return 0;
  const share = (row.counters.sent + row.counters.held) / row.totalRecipients;
  return Math.min(100, Math.floor(share * 1000) / 10);
}

const presentCounters = (counters: CampaignCounters) => ({
  sentCount: counters.sent,
  deliveredCount: counters.delivered,
  openedCount: counters.opened,
  clickedCount: counters.clicked,
  bouncedCount: counters.bounced,
  complainedCount: counters.complained,
  unsubscribedCount: counters.unsubscribed,
});

export function presentCampaign(row: CampaignRecord): CampaignAnswer {
  const { counters } = row;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    subject: row.subject,
    body: row.body,
    from: row.fromEmail,
    fromName: row.fromName,
    replyTo: row.replyTo,
    type: row.type,
    status: row.status,
    audienceType: row.audienceType,
    audienceCondition: row.audienceCondition,
    segmentId: row.segmentId,
    scheduledFor: row.scheduledFor?.toISOString() ?? null,
    cancelReason: row.cancelReason,
    progress: progressOf(row),
    totalRecipients: row.totalRecipients,
    ...presentCounters(counters),
    projectId: row.projectId,
    sentAt: row.sentAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

const percent = z.number().describe('Percent of sentCount, 0 to 100 with two decimals.');

export const campaignStatsSchema = z.object({
  totalRecipients: z.number().int(),
  sentCount: z.number().int(),
  deliveredCount: z.number().int(),
  openedCount: z.number().int(),
  clickedCount: z.number().int(),
  bouncedCount: z.number().int(),
  complainedCount: z.number().int(),
  unsubscribedCount: z.number().int(),
  deliveryRate: percent,
  openRate: percent,
  clickRate: percent,
  bounceRate: percent,
  complaintRate: percent,
  unsubscribeRate: percent,
});

export function presentCampaignStats(row: CampaignRecord): z.output<typeof campaignStatsSchema> {
  const { counters } = row;
  return {
    totalRecipients: row.totalRecipients,
    ...presentCounters(counters),
    ...campaignRates(counters),
  };
}
