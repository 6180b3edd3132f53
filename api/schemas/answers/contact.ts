import { z } from 'zod';

export const contactSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    subscribed: z.boolean(),
    snoozedUntil: z.iso.datetime().nullable().describe('Set only while snoozed.'),
    data: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });

export type ContactAnswer = z.output<typeof contactSchema>;
