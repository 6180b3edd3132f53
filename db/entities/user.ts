import { defineEntity, p } from '@mikro-orm/core';
import { oauthProviderNames } from '../../core/accounts/oauth-providers.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

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

/** A sign-in. The token contains its id and is refused once the row is gone. */
export const UserSession = defineEntity({
  name: 'UserSession',
  tableName: 'sessions',
  indexes: [
    { name: 'sessions_user', properties: ['user', 'id'] },
    { name: 'sessions_expiry', properties: ['expiresAt'] },
  ],
  properties: {
    id: primaryId(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade'),
    /** The user's `sessionVersion` at sign-in; the session ends when they differ. */
    version: p.integer(),
    browser: p.text().nullable(),
    system: p.text().nullable(),
    /** Accurate to ten minutes, so that most requests write nothing. */
    lastUsedAt: instant().defaultRaw('now()'),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

/** A provider account that signs a user in; `subject` is the provider's immutable id. */
export const OAuthIdentity = defineEntity({
  name: 'OAuthIdentity',
  tableName: 'oauth_identities',
  properties: {
    provider: p.enum(oauthProviderNames).primary(),
    subject: p.text().primary(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
