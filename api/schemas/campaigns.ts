import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { idSchema } from '../../core/id-schema.ts';
import { audienceTypeSchema, campaignSchema } from '../presenters/campaign.ts';
import { contentTypeSchema } from '../presenters/template.ts';
import { htmlBodySchema, subjectSchema } from './email-content.ts';
import { displayNameSchema } from './mailbox.ts';
import { offsetOrderSchema, offsetPageSchema, offsetQuerySchema } from './pagination.ts';

/** Characters of a name. */
export const maxCampaignNameLength = 255;

export const listCampaignsQuerySchema = offsetQuerySchema.extend(offsetOrderSchema.shape).extend({
  // Any text: an unknown status is a 400 of its own and no 422.
  status: z.string().optional().describe('DRAFT, SCHEDULED, SENDING, SENT or CANCELLED.'),
  search: z.string().max(998).optional().describe('Part of the name, the subject or the sender address.'),
});

export type ListCampaignsQuery = z.output<typeof listCampaignsQuerySchema>;

export const campaignPageSchema = offsetPageSchema(campaignSchema);

/** Body of create and of replace: what is left out is empty. */
export const campaignBodySchema = z.object({
  name: z.string().max(maxCampaignNameLength).regex(/\S/, 'Expected a name'),
  description: z.string().max(2000).nullish().describe('A note for yourself.'),
  subject: subjectSchema,
  body: htmlBodySchema,
  from: emailAddressSchema,
  fromName: displayNameSchema.nullish(),
  replyTo: z.union([emailAddressSchema, z.literal('')]).nullish(),
  type: contentTypeSchema.default('MARKETING').describe('The kind of content, not of audience.'),
  audienceType: audienceTypeSchema,
  segmentId: idSchema.nullish().describe('Required when SEGMENT.'),
  audienceCondition: z.unknown().optional().describe('A condition tree, required when FILTERED.'),
});

export type CampaignBody = z.output<typeof campaignBodySchema>;

export const campaignAnswerSchema = z.object({ success: z.literal(true), data: campaignSchema });

export const sendCampaignBodySchema = z
  .object({
    scheduledFor: z
      .string()
      .nullish()
      .describe('When to send, such as `2026-12-01T09:00:00Z`; at once when left out, null or past.'),
  })
  // A call without a body sends at once.
  .nullish();

export const testCampaignBodySchema = z.object({ email: emailAddressSchema });
