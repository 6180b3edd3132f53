import { z } from 'zod';
import { audienceTypes, campaignStatuses } from '../../../core/campaign-state.ts';
import { storedConditionSchema } from './condition.ts';
import { contentShape } from './template.ts';
import { temporalUrlSchema } from './temporal-run.ts';

export const campaignStatusSchema = z.enum(campaignStatuses);

export const audienceTypeSchema = z.enum(audienceTypes);

const count = (description: string) => z.number().int().describe(description);

const countShape = {
  sentCount: count('Emails handed over to the provider.'),
  deliveredCount: count('Recipients whose mail server accepted the email.'),
  openedCount: count('Recipients who opened it; a click counts as an open.'),
  clickedCount: count('Recipients who followed a link.'),
  bouncedCount: count('Recipients with a hard bounce.'),
  complainedCount: count('Recipients who reported it as spam.'),
  unsubscribedCount: count('Recipients who opted out or snoozed through it.'),
};

export const campaignSchema = z
  .object({
    ...contentShape,
    status: campaignStatusSchema,
    audienceType: audienceTypeSchema,
    audienceCondition: storedConditionSchema.nullable().describe('Set when FILTERED.'),
    segmentId: z.uuid().nullable().describe('Set when SEGMENT.'),
    scheduledFor: z.iso.datetime().nullable(),
    cancelReason: z.string().nullable().describe('Why the service cancelled it.'),
    pausedReason: z
      .string()
      .nullable()
      .describe('Why sending is paused while SENDING; it resumes automatically.'),
    temporalWorkflowId: z
      .string()
      .nullable()
      .describe('The run that schedules and sends it; null for a draft.'),
    temporalUrl: temporalUrlSchema,
    progress: z
      .number()
      .nullable()
      .describe('Percent of the recipients processed, 0 to 100; null unless SENDING.'),
    totalRecipients: count(
      'An estimate until sending starts. Then grows from 0 until `frozenAt`, when it is the size of the frozen audience.',
    ),
    ...countShape,
    projectId: z.uuid(),
    startedAt: z.iso.datetime().nullable().describe('When sending began.'),
    frozenAt: z.iso.datetime().nullable().describe('When all recipients were known.'),
    sentAt: z.iso.datetime().nullable().describe('When sending ended.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });

export const listedCampaignSchema = campaignSchema
  .extend({ body: contentShape.body.optional() })
  .meta({ id: 'ListedCampaign' });

const percent = z.number().describe('Percent of sentCount, 0 to 100 with two decimals.');

export const campaignStatsSchema = z.object({
  totalRecipients: z.number().int(),
  ...countShape,
  deliveryRate: percent,
  openRate: percent,
  clickRate: percent,
  bounceRate: percent,
  complaintRate: percent,
  unsubscribeRate: percent,
});
