import { z } from 'zod';
import { verdictsSchema } from '../../core/inbound/verdicts.ts';
import type { KeptInbound } from '../../db/repositories/inbound/inbound-emails.ts';

export const inboundSchema = z
  .object({
    id: z.uuid(),
    status: z
      .enum(['KEPT', 'REJECTED', 'UNREADABLE'])
      .describe(
        'REJECTED: a virus or spam. UNREADABLE: no email, beyond 30 MB, or not to be had. Both without content.',
      ),
    messageId: z.string().nullable().describe('`Message-ID`, without angle brackets.'),
    from: z.string().nullable().describe('Of the header `From`: what the sender says, see `verdicts.dmarc`.'),
    fromName: z.string().nullable(),
    to: z.array(z.string()).describe('Addresses at domains of the project that it came to.'),
    subject: z.string().nullable(),
    inReplyTo: z.string().nullable(),
    emailId: z.uuid().nullable().describe('The email of the project that it answers.'),
    contactId: z.uuid().nullable(),
    automatic: z
      .enum(['auto-submitted', 'bulk', 'bounce', 'own', 'flood'])
      .nullable()
      .describe('Why it started no workflow; null for what a person wrote.'),
    verdicts: verdictsSchema,
    hasContent: z.boolean().describe('False also once the content has outlived EMAIL_BODY_RETENTION_DAYS.'),
    text: z.string().nullable().describe('At most 262,144 characters.'),
    html: z.string().nullable().describe('Sanitised: no script, style, form or frame.'),
    attachments: z.array(
      z.object({
        filename: z.string().nullable(),
        contentType: z.string(),
        size: z.int().min(0).describe('Bytes. The file itself is not kept.'),
      }),
    ),
    receivedAt: z.iso.datetime(),
  })
  .meta({ id: 'InboundEmail' });

export function presentInbound(email: KeptInbound): z.output<typeof inboundSchema> {
  const { recipients, fromEmail, receivedAt, ...rest } = email;
  return { ...rest, from: fromEmail, to: recipients, receivedAt: receivedAt.toISOString() };
}
