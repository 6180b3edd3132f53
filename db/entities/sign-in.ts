import { defineEntity, p } from '@mikro-orm/core';
import { instant } from './columns.ts';
import { User } from './user.ts';

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
