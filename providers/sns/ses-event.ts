import { z } from 'zod';

const timed = z.object({ timestamp: z.iso.datetime({ offset: true }) });

/**
 * An event that SES publishes about one email; only what Posthaste reads.
 * Source: Amazon SES developer guide, "Contents of event data that Amazon SES publishes to Amazon SNS".
 */
export const sesEventSchema = z.object({
  eventType: z.string(),
  mail: z.object({
    timestamp: z.iso.datetime({ offset: true }),
    messageId: z.string().max(512).optional(),
    tags: z.record(z.string(), z.array(z.string())).default({}),
    commonHeaders: z.object({ subject: z.string().optional() }).optional(),
  }),
  delivery: timed.optional(),
  open: timed.optional(),
  click: timed.extend({ link: z.string().max(8192).optional() }).optional(),
  bounce: timed.extend({ bounceType: z.enum(['Permanent', 'Transient', 'Undetermined']) }).optional(),
  complaint: timed.optional(),
});

export type SesEvent = z.output<typeof sesEventSchema>;
