import { z } from 'zod';
import { cutTo } from './cut-to.ts';

const timestamp = z.iso.datetime({ offset: true });
const timed = z.object({ timestamp });
// Text from other servers, without control characters, which no database stores. Long text is truncated and invalid text
// dropped: no event is lost because of it.
const said = cutTo(500)
  .transform((text) => text.replace(/\p{Cc}+/gu, ' ').trim())
  .nullish()
  .catch(null);

/**
 * An event of one email, limited to the fields we read.
 * Source: Amazon SES developer guide, "Contents of event data that Amazon SES publishes to Amazon SNS".
 */
export const sesEventSchema = z.object({
  eventType: z.string(),
  mail: z.object({
    // When the email was sent.
    timestamp,
    // The id returned by the sending call, not the `Message-ID` header.
    messageId: z.string().max(512).optional(),
    // Ours, and some of SES's own (`ses:…`).
    tags: z.record(z.string(), z.array(z.string())).default({}),
    commonHeaders: z.object({ subject: cutTo(998).nullish() }).optional(),
  }),
  delivery: timed.optional(),
  open: timed.optional(),
  click: timed.extend({ link: cutTo(8192).optional() }).optional(),
  bounce: timed
    .extend({
      bounceType: z.enum(['Permanent', 'Transient', 'Undetermined']),
      bounceSubType: said,
      bouncedRecipients: z
        .array(z.object({ status: said, diagnosticCode: said }))
        .optional()
        .catch(undefined),
    })
    .optional(),
  complaint: timed.extend({ complaintSubType: said, complaintFeedbackType: said }).optional(),
});

export type SesEvent = z.output<typeof sesEventSchema>;
