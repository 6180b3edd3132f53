import { z } from 'zod';
import { suppressionReasons } from '../../../core/suppression-reasons.ts';

/** Unqualified, so usable only where no other relation in scope has these column names. */
export const contactColumns = `id, email, subscribed, snoozed_until as "snoozedUntil", data,
  suppression_reason as "suppressionReason", created_at as "createdAt", updated_at as "updatedAt"`;

export const contactRow = z.object({
  id: z.uuid(),
  email: z.string(),
  subscribed: z.boolean(),
  snoozedUntil: z.date().nullable(),
  data: z.record(z.string(), z.unknown()),
  suppressionReason: z.enum(suppressionReasons).nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
});
export type ContactRow = z.output<typeof contactRow>;
