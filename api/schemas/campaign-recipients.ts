import { z } from 'zod';
import { counterTimes } from '../../core/campaign-rates.ts';
import { emailStatuses } from '../../core/email-state.ts';
import { recipientOutcomes } from '../../core/recipient-outcomes.ts';
import { recordOf } from '../../core/record-of.ts';
import { recipientsPerScan } from '../../db/statements/campaigns/list-recipients.ts';
import { cursorLimitSchema, cursorPageSchema } from './pagination.ts';

export const recipientFilterQuerySchema = z.object({
  outcome: z
    .enum(recipientOutcomes)
    .optional()
    .describe(
      'A recipient can have several outcomes. `failed`: refused by the provider; `skipped`: withheld or cancelled before ' +
        'it left; `pending`: not its turn yet, or the outcome is unknown; `unopened`: delivered, but not opened.',
    ),
});

export type RecipientFilterQuery = z.output<typeof recipientFilterQuerySchema>;

export const listRecipientsQuerySchema = recipientFilterQuerySchema.extend({
  limit: cursorLimitSchema,
  cursor: z.string().optional(),
});

export type ListRecipientsQuery = z.output<typeof listRecipientsQuerySchema>;

const instant = z.iso.datetime().nullable();

export const recipientSchema = z
  .object({
    emailId: z.uuid(),
    contactId: z.uuid(),
    email: z.string(),
    status: z.enum(emailStatuses),
    reason: z
      .string()
      .nullable()
      .describe("Why it was refused or withheld, or why it bounced, in the words of the recipient's server."),
    ...recordOf(counterTimes, () => instant),
    opens: z.int(),
    clicks: z.int(),
  })
  .meta({ id: 'CampaignRecipient' });

export const recipientPageSchema = cursorPageSchema(recipientSchema).extend({
  hasMore: z.boolean().describe('More recipients match, or were not scanned yet.'),
  searchedUntil: instant.describe(
    `When the page is not full because ${recipientsPerScan.toLocaleString('en')} recipients were scanned: when the ` +
      'last of them became a contact. `cursor` continues from there. Otherwise null.',
  ),
});

export const campaignLinksSchema = z.object({
  data: z.array(
    z.object({
      link: z
        .string()
        .describe("A link to the recipient's own pages appears as `{{ unsubscribeUrl }}` or the like."),
      clicks: z.int(),
      uniqueClicks: z.int().describe('Recipients who followed it.'),
    }),
  ),
});
