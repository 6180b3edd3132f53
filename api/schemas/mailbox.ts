import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { refusal } from '../../core/zod-issues.ts';

export const lineBreaks = /[\r\n\0]/;

// Line breaks and NUL could inject a header.
export const displayNameSchema = z
  .string()
  .max(320)
  .refine((name) => !lineBreaks.test(name), refusal('A name must not contain line breaks or NUL'));

/** An address, or an address with a display name; normalized to the latter. */
export const mailboxSchema = z.union([
  emailAddressSchema.transform((email) => ({ email, name: null as string | null })),
  z
    .object({ email: emailAddressSchema, name: displayNameSchema.nullish() })
    .transform(({ email, name }) => ({ email, name: name || null })),
]);
