import { z } from 'zod';
import type { UserRow } from '../../db/entities/user.ts';

export const userSchema = z
  .object({
    id: z.uuid(),
    email: z.email(),
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
