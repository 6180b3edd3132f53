import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, primaryId, updatedAt } from './columns.ts';

/** A person who signs in to the dashboard; `email` is stored trimmed and in lower case. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: primaryId(),
    email: p.text().unique(),
    name: p.text().nullable(),
    /** argon2id in PHC format; null for those who sign in with a provider only. */
    passwordHash: p.text().nullable(),
    emailVerified: p.boolean().default(false),
    /** Raised to end every session at once, for instance by a password reset. */
    sessionVersion: p.integer().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type UserRow = InferEntity<typeof User>;
