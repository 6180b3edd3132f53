import { z } from 'zod';
import { emailAddressSchema, toAddressPart } from '../../core/addresses/email-address.ts';
import { suppressionReasons } from '../../core/suppression-reasons.ts';
import { cursorLimitSchema, cursorPageSchema, totalAccuracySchema } from './pagination.ts';

const reasonSchema = z
  .enum(suppressionReasons)
  .describe('What suppressed the contact: a hard bounce or a complaint.');

export const listSuppressionsQuerySchema = z.object({
  limit: cursorLimitSchema,
  cursor: z.string().optional(),
  reason: reasonSchema.optional(),
  search: z
    .string()
    .trim()
    .max(254)
    .optional()
    .transform((search) => (search ? toAddressPart(search) : undefined))
    .describe('Start of the address. The list is then in the order of addresses.'),
});

export type ListSuppressionsQuery = z.output<typeof listSuppressionsQuerySchema>;

export const suppressionSchema = z
  .object({
    email: z.string(),
    contactId: z.uuid(),
    reason: reasonSchema,
    suppressedAt: z.iso.datetime(),
    emailId: z.uuid().nullable().describe('The email that caused the bounce or complaint.'),
  })
  .meta({ id: 'Suppression' });

export const suppressionPageSchema = cursorPageSchema(suppressionSchema).extend({
  total: z.int().describe('Total of all pages; only on the first page, 0 on later ones.'),
  totalAccuracy: totalAccuracySchema.describe(
    '`exact`, `estimate` above 50,000, or `minimum` on later pages.',
  ),
});

export const suppressionParamsSchema = z.object({ email: emailAddressSchema });
