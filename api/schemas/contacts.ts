import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { contactSchema } from './answers/contact.ts';
import { contactDataSchema } from './contact-data.ts';

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
