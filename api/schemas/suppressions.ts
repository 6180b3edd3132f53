import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { cursorLimitSchema } from './pagination.ts';

const reasonSchema = z
  .enum(['bounce', 'complaint'])
  .describe('What suppressed the contact: a hard bounce or a complaint.');

export const listSuppressionsQuerySchema = z.object({
  limit: cursorLimitSchema,
  cursor: z.string().optional(),
  reason: reasonSchema.optional(),
});

export type ListSuppressionsQuery = z.output<typeof listSuppressionsQuerySchema>;

export const suppressionSchema = z
  .object({
    email: z.string(),
    contactId: z.uuid(),
    reason: reasonSchema,
    suppressedAt: z.iso.datetime(),
    emailId: z.uuid().nullable().describe('The email that bounced or was complained about.'),
  })
  .meta({ id: 'Suppression' });

export const suppressionPageSchema = z.object({
  data: z.array(suppressionSchema),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number().int().describe('Of all pages; only on the first page, 0 on later ones.'),
});

export const suppressionParamsSchema = z.object({ email: emailAddressSchema });
