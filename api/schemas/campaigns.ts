import { z } from 'zod';
import { rateNames } from '../../core/campaign-rates.ts';
import { audienceTypes, campaignStatuses } from '../../core/campaign-state.ts';
import { idSchema } from '../../core/id-schema.ts';
import { recordOf } from '../../core/record-of.ts';
import { storedConditionSchema } from './conditions.ts';
import { contentFields, contentShape, contentTypeSchema } from './email-content.ts';
import { nullableInstant, nullableText } from './nullable.ts';
import { offsetOrderSchema, offsetPageSchema, offsetQuerySchema, withBodySchema } from './pagination.ts';
import { temporalUrlSchema } from './temporal-run.ts';

const audienceTypeSchema = z.enum(audienceTypes);

const count = (description: string) => z.int().describe(description);

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
    status: z.enum(campaignStatuses),
    audienceType: audienceTypeSchema,
    audienceCondition: storedConditionSchema.nullable().describe('Set when FILTERED.'),
    segmentId: z.uuid().nullable().describe('Set when SEGMENT.'),
    scheduledFor: nullableInstant.describe(
      'When it leaves, while SCHEDULED; afterward the time that was planned, also of a cancelled campaign.',
    ),
    cancelReason: nullableText.describe('Why the service cancelled it.'),
    pausedReason: nullableText.describe('Why sending is paused while SENDING; it resumes automatically.'),
    temporalWorkflowId: nullableText.describe('The run that schedules and sends it; null for a draft.'),
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
    startedAt: nullableInstant.describe('When sending began.'),
    frozenAt: nullableInstant.describe('When all recipients were known.'),
    sentAt: nullableInstant.describe('When sending ended.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });

const listedCampaignSchema = campaignSchema
  .extend({ body: contentShape.body.optional() })
  .meta({ id: 'ListedCampaign' });

const percent = z.number().describe('Percent of sentCount, 0 to 100 with two decimals.');

export const campaignStatsSchema = z.object({
  totalRecipients: z.int(),
  ...countShape,
  ...recordOf(rateNames, () => percent),
});

export const listCampaignsQuerySchema = offsetQuerySchema.extend({
  ...offsetOrderSchema.shape,
  ...withBodySchema.shape,
  // Any text: an unknown status is answered with its own 400 instead of a 422.
  status: z.string().optional().describe('DRAFT, SCHEDULED, SENDING, SENT or CANCELLED.'),
  search: z.string().max(998).optional().describe('Part of the name, the subject or the sender address.'),
});

export type ListCampaignsQuery = z.output<typeof listCampaignsQuerySchema>;

export const campaignPageSchema = offsetPageSchema(listedCampaignSchema);

export const campaignBodySchema = z.object({
  ...contentFields,
  type: contentTypeSchema.default('MARKETING').describe('The kind of content, not of audience.'),
  audienceType: audienceTypeSchema,
  segmentId: idSchema.nullish().describe('Required when SEGMENT.'),
  audienceCondition: z
    .unknown()
    .optional()
    .describe('A condition tree (`Condition`), required when FILTERED, otherwise ignored.'),
});

export type CampaignBody = z.output<typeof campaignBodySchema>;

export const audienceBodySchema = campaignBodySchema.pick({
  type: true,
  audienceType: true,
  segmentId: true,
  audienceCondition: true,
});

export type AudienceBody = z.output<typeof audienceBodySchema>;

const people = z.int();

export const audienceSchema = z.object({
  total: people.describe('Contacts in the audience.'),
  recipients: people.describe('Who gets the email.'),
  excluded: z
    .object({
      unsubscribed: people,
      snoozed: people,
      suppressed: people.describe('After a bounce or complaint.'),
    })
    .describe('Who does not get it, each counted once.'),
});

export const campaignAnswerSchema = z.object({ success: z.literal(true), data: campaignSchema });

export const subjectTestBodySchema = z.object({
  subject: contentFields.subject.describe('Of test B.'),
  percent: z.int().min(1).max(50).describe('How much of the audience gets test A, and how much gets test B.'),
});

export type SubjectTestBody = z.output<typeof subjectTestBodySchema>;

export const subjectTestAnswerSchema = z.object({
  success: z.literal(true),
  data: z.array(campaignSchema).describe('Test A, test B and, below 50 percent, the draft for the rest.'),
});

export const sendCampaignBodySchema = z
  .object({
    scheduledFor: z
      .string()
      .nullish()
      .describe(
        'When to send, such as `2026-12-01T09:00:00Z`, UTC without a zone; immediately if omitted, null or in the past.',
      ),
  })
  // Without a body the campaign is sent at once.
  .nullish();
