import { z } from 'zod';

const timestamp = z.iso.datetime({ offset: true });
const timed = z.object({ timestamp });
/** What would not fit is cut: an event must not be lost for the length of a text that goes along. */
const cutTo = (length: number) => z.string().transform((text) => text.slice(0, length));

/**
 * An event that SES publishes about one email; only what Posthaste reads.
 * Source: Amazon SES developer guide, "Contents of event data that Amazon SES publishes to Amazon SNS".
 */
export const sesEventSchema = z.object({
  /** Send, Delivery, Open, Click, Bounce, Complaint, Reject, Rendering Failure, DeliveryDelay, Subscription. */
  eventType: z.string(),
  mail: z.object({
    /** When the email was sent. */
    timestamp,
    /** The id that the sending call answered, not the header of the email. */
    messageId: z.string().max(512).optional(),
    /** Tags given with the email, and some of SES's own (`ses:…`). */
    tags: z.record(z.string(), z.array(z.string())).default({}),
    commonHeaders: z.object({ subject: cutTo(998).nullish() }).optional(),
  }),
  delivery: timed.optional(),
  open: timed.optional(),
  click: timed.extend({ link: cutTo(8192).optional() }).optional(),
  bounce: timed.extend({ bounceType: z.enum(['Permanent', 'Transient', 'Undetermined']) }).optional(),
  complaint: timed.optional(),
});

export type SesEvent = z.output<typeof sesEventSchema>;
