import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { audienceTypeSchema, campaignSchema, listedCampaignSchema } from './answers/campaign.ts';
import { offsetPageSchema } from './answers/offset-page.ts';
import { contentTypeSchema } from './answers/template.ts';
import { contentFields } from './email-content.ts';
import { offsetOrderSchema, offsetQuerySchema, withBodySchema } from './pagination.ts';

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

const people = z.number().int();

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
