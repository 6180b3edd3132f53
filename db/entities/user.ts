import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, primaryId, updatedAt } from './columns.ts';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: primaryId(),
    email: p.text().unique(),
    name: p.text().nullable(),
    /** argon2id in PHC format; null for users who only sign in through a provider. */
    passwordHash: p.text().nullable(),
    emailVerified: p.boolean().default(false),
    /** Incremented to end every session, for example by a password reset. */
    sessionVersion: p.integer().default(1),
    /** Whether tokens issued before sessions were recorded are accepted. */
    unlistedSessions: p.boolean().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class User extends UserSchema.class {
  /** Also ends every session; null removes the password. Requires a lock on the record. */
  replacePassword(passwordHash: string | null): void {
    this.passwordHash = passwordHash;
    this.sessionVersion += 1;
  }
}
UserSchema.setClass(User);
