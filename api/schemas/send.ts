import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { attachmentDispositions } from '../../core/attachment-disposition.ts';
import { findHeaderIssues, maxCustomHeaders } from '../../core/headers/custom-headers.ts';
import { idSchema } from '../../core/id-schema.ts';
import { limitedRecord } from '../../core/limited-record.ts';
import { refusal } from '../../core/zod-issues.ts';
import { contactDataSchema } from './contact-data.ts';
import { htmlBodySchema, subjectSchema } from './email-content.ts';
import { displayNameSchema, mailboxSchema } from './mailbox.ts';
import { reportIssues } from './report-issues.ts';

const maxAttachments = 10;
const maxAttachmentBytes = 10 * 1024 * 1024;
const maxRecipients = 1_000;

const headersSchema = limitedRecord(
  z.string(),
  maxCustomHeaders,
  `At most ${maxCustomHeaders} headers are accepted`,
).check((context) => {
  reportIssues(context, findHeaderIssues(context.value), 'headers');
});

const attachmentSchema = z
  .object({
    filename: z
      .string()
      .min(1)
      .max(255)
      .refine(
        (name) => !/[\r\n\0"]/.test(name),
        refusal('A file name must not contain line breaks or quotes'),
      ),
    content: z
      .base64()
      .min(1)
      .describe('Base64.')
      // A request that waits for its batch then holds the bytes, which are three quarters of the text.
      .transform((text) => Buffer.from(text, 'base64')),
    contentType: z
      .string()
      .max(255)
      .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+:-]+|"[^"\r\n]*"))*$/, 'Expected a MIME type'),
    contentId: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\w.+@-]+$/, 'Letters, digits and . _ + @ - are accepted')
      .optional()
      .describe('Name for `cid:` references; required when inline.'),
    disposition: z.enum(attachmentDispositions).default('attachment'),
  })
  .refine((file) => file.disposition !== 'inline' || file.contentId !== undefined, {
    path: ['contentId'],
    ...refusal('An inline attachment needs a contentId', 'invalid_type'),
  });

const attachmentsSchema = z
  .array(attachmentSchema)
  .max(maxAttachments)
  .refine(
    (files) => files.reduce((sum, file) => sum + file.content.length, 0) <= maxAttachmentBytes,
    refusal('Attachments have at most 10 MB in total', 'too_big'),
  );

// Checked along with all other rules, so that the answer lists every issue.
const requiredWithoutTemplate = (field: 'subject' | 'body' | 'from') =>
  z.refine<Partial<Record<'template' | typeof field, unknown>>>(
    (body) => body.template !== undefined || body[field] !== undefined,
    {
      path: [field],
      ...refusal(`${field} is required without a template`, 'invalid_type'),
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

export const sendBodySchema = z
  .object({
    to: z.union([mailboxSchema.transform((one) => [one]), z.array(mailboxSchema).min(1).max(maxRecipients)]),
    subject: subjectSchema.optional(),
    body: htmlBodySchema.optional(),
    template: idSchema
      .optional()
      .describe(
        'Id of a template. It determines the type, and supplies the subject, body, sender and reply ' +
          'address that are omitted.',
      ),
    from: mailboxSchema.optional(),
    name: displayNameSchema
      .optional()
      .meta({ deprecated: true, description: 'Use `from: { name, email }`.' }),
    subscribed: z.boolean().optional(),
    data: contactDataSchema.optional(),
    headers: headersSchema.optional(),
    reply: emailAddressSchema.optional(),
    attachments: attachmentsSchema.optional(),
  })
  .check(requiredWithoutTemplate('subject'))
  .check(requiredWithoutTemplate('body'))
  .check(requiredWithoutTemplate('from'));

export type SendBody = z.output<typeof sendBodySchema>;

export const sendAnswerSchema = z.object({
  success: z.literal(true),
  data: z.object({
    emails: z.array(
      z.object({
        contact: z.object({ id: z.uuid(), email: z.string() }),
        email: z.uuid().describe('Id of the email record.'),
      }),
    ),
    timestamp: z.iso.datetime(),
  }),
});
