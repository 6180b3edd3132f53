import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { suppressionReasons } from '../../core/suppression-reasons.ts';
import { contactDataSchema } from './contact-data.ts';
import { anyObject } from './json-object.ts';

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
    data: anyObject,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });

export const upsertContactBodySchema = z.object({
  email: emailAddressSchema,
  subscribed: z.boolean().optional(),
  data: contactDataSchema.optional(),
});

export const upsertedContactSchema = contactSchema.extend({
  _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean() }),
});

export const patchContactBodySchema = upsertContactBodySchema.partial();

export type UpsertContactBody = z.output<typeof upsertContactBodySchema>;
export type PatchContactBody = z.output<typeof patchContactBodySchema>;
