import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { contactSchema } from '../presenters/contact.ts';
import { contactDataSchema } from './contact-data.ts';
import { cursorLimitSchema, queryFlagSchema } from './pagination.ts';

export const listContactsQuerySchema = z.object({
  limit: cursorLimitSchema,
  cursor: z.string().optional(),
  search: z.string().max(254).optional().describe('Part of the address.'),
  subscribed: queryFlagSchema.optional(),
  sort: z.enum(['email', 'createdAt']).catch('createdAt').default('createdAt'),
  dir: z.enum(['asc', 'desc']).optional().catch(undefined),
});

export type ListContactsQuery = z.output<typeof listContactsQuerySchema>;

export const contactPageSchema = z.object({
  data: z.array(contactSchema),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number().int().describe('Of all pages; only on the first page, 0 on later ones.'),
});

export const upsertContactBodySchema = z.object({
  email: emailAddressSchema,
  subscribed: z.boolean().optional(),
  data: contactDataSchema.optional(),
});

export const upsertedContactSchema = contactSchema.extend({
  _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean() }),
});

export const patchContactBodySchema = z.object({
  email: emailAddressSchema.optional(),
  subscribed: z.boolean().optional(),
  data: contactDataSchema.optional(),
});

export type UpsertContactBody = z.output<typeof upsertContactBodySchema>;
export type PatchContactBody = z.output<typeof patchContactBodySchema>;
