import { z } from 'zod';
import { attachmentDispositions } from '../../core/attachment-disposition.ts';
import { contentTypes } from '../../core/content-types.ts';
import { emailStatuses, projectEmailSources } from '../../core/email-state.ts';
import { idSchema } from '../../core/id-schema.ts';
import { isStorableText } from '../../core/json-value.ts';
import { emailsPerScan } from '../../db/statements/emails/list-emails.ts';
import { periodQuerySchema } from './activity.ts';
import { nullableId, nullableInstant, nullableText } from './nullable.ts';
import { cursorLimitSchema, cursorPageSchema } from './pagination.ts';
import { temporalUrlSchema } from './temporal-run.ts';

export const emailFilterQuerySchema = periodQuerySchema.extend({
  search: z
    .string()
    .max(254)
    .refine(isStorableText, 'Expected text without NUL')
    .optional()
    .meta({
      description:
        'With an `@`, a part of the recipient’s address, such as `ada@` or `ada@example.com`: found however long ago the email ' +
        'was, unless more than 200 contacts have it. Otherwise a part of the subject or of the address. Case does not matter.',
      example: 'ada@example.com',
    }),
  status: z.enum(emailStatuses).optional(),
  source: z.enum(projectEmailSources).optional(),
  campaignId: idSchema.optional(),
  workflowId: idSchema.optional(),
  contactId: idSchema.optional(),
});

export type EmailFilterQuery = z.output<typeof emailFilterQuerySchema>;

export const listEmailsQuerySchema = emailFilterQuerySchema.extend({
  limit: cursorLimitSchema.describe('At most 100.'),
  cursor: z.string().optional(),
});

export type ListEmailsQuery = z.output<typeof listEmailsQuerySchema>;

export const emailSchema = z
  .object({
    id: z.uuid(),
    to: z.string().describe('Empty once the contact was deleted.'),
    toName: nullableText,
    from: z.string(),
    subject: nullableText.describe(
      'As rendered; null until the email was handed over, and once the contact was deleted.',
    ),
    status: z.enum(emailStatuses),
    reason: nullableText.describe('Why it was not sent or is waiting, in words.'),
    source: z.enum(projectEmailSources),
    type: z.enum(contentTypes),
    contactId: nullableId.describe(
      'Null once the contact was deleted, and for a test to an address without a contact.',
    ),
    campaignId: nullableId,
    campaignName: nullableText,
    workflowId: nullableId,
    workflowName: nullableText,
    templateId: nullableId,
    templateName: nullableText,
    opens: z.int(),
    clicks: z.int(),
    createdAt: z.iso.datetime().describe('When it was accepted.'),
    sentAt: nullableInstant,
    deliveredAt: nullableInstant,
    openedAt: nullableInstant.describe('First occurrence, as for the others.'),
    clickedAt: nullableInstant,
    bouncedAt: nullableInstant,
    complainedAt: nullableInstant,
  })
  .meta({ id: 'Email' });

export const emailPageSchema = cursorPageSchema(emailSchema).extend({
  hasMore: z.boolean().describe('More emails match, or were not scanned yet.'),
  searchedBackTo: nullableInstant.describe(
    `When the page is not full because ${emailsPerScan.toLocaleString('en')} emails were scanned: how far back that ` +
      'was. `cursor` continues from there. Otherwise null.',
  ),
});

export const timelineTypes = [
  'accepted',
  'waiting',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
  'cancelled',
  'failed',
  'unknown',
] as const;

export const emailDetailSchema = emailSchema
  .extend({
    messageId: nullableText.describe("The provider's id of the email."),
    timeline: z
      .array(
        z.object({
          type: z.enum(timelineTypes),
          at: nullableInstant.describe('Null when the instant is not known.'),
          text: z.string().describe('What happened, in words.'),
          link: nullableText.describe('The link clicked.'),
          diagnostic: nullableText.describe(
            "Reason for a bounce, given by the recipient's server; kind of a complaint.",
          ),
        }),
      )
      .describe('Oldest first, the first 200 of each type.'),
    bodyAvailable: z
      .boolean()
      .describe(
        'False once its content has outlived EMAIL_BODY_RETENTION_DAYS or the contact was deleted, or when it can’t be rendered.',
      ),
    body: z
      .object({
        subject: z.string(),
        html: z.string(),
        text: z.string(),
        headers: z.record(z.string(), z.string()),
        fromName: nullableText,
        replyTo: nullableText,
        attachments: z.array(
          z.object({
            filename: z.string(),
            contentType: z.string(),
            disposition: z.enum(attachmentDispositions),
            size: z.int().describe('Bytes.'),
          }),
        ),
      })
      .nullable()
      .describe(
        'Rendered now, from the content as it was sent and the current data of the contact. The delivered email ' +
          'may differ.',
      ),
    temporalWorkflowId: nullableText.describe(
      'The run that sent it; null for emails that share a run with others: transactional ones and tests.',
    ),
    temporalUrl: temporalUrlSchema,
  })
  .meta({ id: 'EmailDetail' });
