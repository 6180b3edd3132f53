import { z } from 'zod';
import type { UserRow } from '../../db/entities/user.ts';

/** An address as it is stored; more of them are good than the pattern of zod lets through. */
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

export type UserAnswer = z.output<typeof userSchema>;

export function presentUser(user: UserRow): UserAnswer {
  return {
    id: user.id,
    email: user.email,
    name: user.name ?? null,
    emailVerified: user.emailVerified,
    createdAt: user.createdAt.toISOString(),
  };
}
