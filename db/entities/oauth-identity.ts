import { defineEntity, p } from '@mikro-orm/core';
import { oauthProviderNames } from '../../core/accounts/oauth-providers.ts';
import { createdAt } from './columns.ts';
import { User } from './user.ts';

const OAuthIdentitySchema = defineEntity({
  name: 'OAuthIdentity',
  tableName: 'oauth_identities',
  properties: {
    provider: p.enum(oauthProviderNames).primary(),
    subject: p.text().primary(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});

/** A provider account that signs a user in; `subject` is the provider's immutable id. */
export class OAuthIdentity extends OAuthIdentitySchema.class {}
OAuthIdentitySchema.setClass(OAuthIdentity);
