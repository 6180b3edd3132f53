import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';
import { User } from './user.ts';

const purposes = ['verify-email', 'reset-password', 'sign-in'] as const;
export type AccountTokenPurpose = (typeof purposes)[number];

const AccountTokenSchema = defineEntity({
  name: 'AccountToken',
  tableName: 'account_tokens',
  indexes: [
    { name: 'account_tokens_user', properties: ['user', 'purpose', 'createdAt'] },
    { name: 'account_tokens_expiry', properties: ['expiresAt'] },
  ],
  properties: {
    id: primaryId(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade'),
    purpose: p.enum(purposes),
    tokenHash: p.blob().unique(),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

/** A single-use link of a user: using it deletes all of the user's tokens with the same purpose. */
export class AccountToken extends AccountTokenSchema.class {
  isExpired(): boolean {
    return this.expiresAt.getTime() <= Date.now();
  }
}
AccountTokenSchema.setClass(AccountToken);
