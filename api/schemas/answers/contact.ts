import { z } from 'zod';
import { suppressionReasons } from '../../../core/suppression-reasons.ts';

export const contactSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    subscribed: z.boolean(),
    snoozedUntil: z.iso.datetime().nullable().describe('Set only while snoozed.'),
    suppressionReason: z
      .enum(suppressionReasons)
      .nullable()
      .describe('Set while suppressed: a hard bounce or a complaint has ended the subscription.'),
    data: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });
