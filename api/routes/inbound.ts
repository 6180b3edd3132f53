import { z } from 'zod';
import { verdictsSchema } from '../../core/inbound/verdicts.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { nullableText } from '../schemas/nullable.ts';

const inboundSchema = z
  .object({
    id: z.uuid(),
    status: z
      .enum(['KEPT', 'REJECTED', 'UNREADABLE'])
      .describe(
        'REJECTED: virus or spam. UNREADABLE: malformed, larger than 30 MB, or not retrievable. Both have ' +
          'no content.',
      ),
    messageId: nullableText.describe('`Message-ID`, without angle brackets.'),
    from: nullableText.describe('From the header `From`, as the sender claims; see `verdicts.dmarc`.'),
    fromName: nullableText,
    to: z.array(z.string()).describe("Recipient addresses at the project's domains."),
    subject: nullableText,
    inReplyTo: nullableText,
    emailId: z.uuid().nullable().describe("The project's email that it replies to."),
    contactId: z.uuid().nullable(),
    automatic: z
      .enum(['auto-submitted', 'bulk', 'bounce', 'own', 'flood'])
      .nullable()
      .describe('Why it started no workflow; null for an email written by a person.'),
    verdicts: verdictsSchema,
    hasContent: z.boolean().describe('Also false after EMAIL_BODY_RETENTION_DAYS.'),
    text: nullableText.describe('At most 262,144 characters.'),
    html: nullableText.describe('Sanitized: no script, style, form or frame.'),
    attachments: z.array(
      z.object({
        filename: nullableText,
        contentType: z.string(),
        size: z.int().min(0).describe('Bytes. The file itself is not stored.'),
      }),
    ),
    receivedAt: z.iso.datetime(),
  })
  .meta({ id: 'InboundEmail' });

export const showInboundEmail = defineRoute('GET /inbound/:id', {
  summary: 'Get a received email',
  description:
    'By the `inboundId` of an `email.received` event. The sender is unauthenticated unless ' +
    '`verdicts.dmarc` is PASS.',
  responses: ok('The email.', inboundSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const email = await ctx.services.inbound.get(project.id, params.id);
    ctx.body = present(inboundSchema, { ...email, from: email.fromEmail, to: email.recipients });
  },
});
