import { z } from 'zod';

/** A stored address: zod's email pattern is stricter than the one applied on input. */
export const addressSchema = z.string().meta({ format: 'email' });

export const userSchema = z
  .object({
    id: z.uuid(),
    email: addressSchema,
    name: z.string().nullable(),
    emailVerified: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });
