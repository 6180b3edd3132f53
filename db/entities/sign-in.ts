import { defineEntity, p } from '@mikro-orm/core';
import { instant } from './columns.ts';
import { User } from './user.ts';

/** Password attempts within 15 minutes; `subject` hashes the account and the client's origin. */
export const SignInAttempts = defineEntity({
  name: 'SignInAttempts',
  tableName: 'sign_in_attempts',
  indexes: [{ name: 'sign_in_attempts_end', properties: ['endsAt'] }],
  properties: { subject: p.blob().primary(), attempts: p.integer(), endsAt: instant() },
});

export const SignInSource = defineEntity({
  name: 'SignInSource',
  tableName: 'sign_in_sources',
  indexes: [{ name: 'sign_in_sources_seen', properties: ['seenAt'] }],
  properties: {
    user: () => p.manyToOne(User).primary().updateRule('no action').deleteRule('cascade'),
    source: p.blob().primary(),
    seenAt: instant().defaultRaw('now()'),
  },
});
