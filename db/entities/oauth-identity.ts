import { defineEntity, p } from '@mikro-orm/core';
import { type OAuthProviderName, oauthProviderNames } from '../../core/accounts/oauth-providers.ts';
import { createdAt } from './columns.ts';
import { User } from './user.ts';

const OAuthIdentitySchema = defineEntity({
  name: 'OAuthIdentity',
  tableName: 'oauth_identities',
  properties: {
    provider: p
      .text()
      .$type<OAuthProviderName>()
      .primary()
      .check(`provider in ('${oauthProviderNames.join("', '")}')`),
    subject: p.text().primary(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});

/** A provider account that signs a user in; `subject` is the provider's immutable id. */
export class OAuthIdentity extends OAuthIdentitySchema.class {}
OAuthIdentitySchema.setClass(OAuthIdentity);
