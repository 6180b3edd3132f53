import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';
import { type Role, roles } from './membership.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

export type AccountTokenPurpose = 'verify-email' | 'reset-password';
export type OAuthProviderName = 'google' | 'github';

/** A link that was mailed to a user and works once; the row goes when it is used. */
export const AccountToken = defineEntity({
  name: 'AccountToken',
  tableName: 'account_tokens',
  indexes: [
    { name: 'account_tokens_user', properties: ['userId', 'purpose', 'createdAt'] },
    { name: 'account_tokens_expiry', properties: ['expiresAt'] },
  ],
  properties: {
    id: primaryId(),
    userId: () =>
      p.manyToOne(User).mapToPk().fieldName('user_id').updateRule('no action').deleteRule('cascade'),
    purpose: p.text().$type<AccountTokenPurpose>().check(`purpose in ('verify-email', 'reset-password')`),
    /** HMAC of the token, which is known to its reader only. */
    tokenHash: p.blob().unique(),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

/** An account at a provider that signs a user in; `subject` is the provider's own id, which never changes. */
export const OAuthIdentity = defineEntity({
  name: 'OAuthIdentity',
  tableName: 'oauth_identities',
  properties: {
    provider: p.text().$type<OAuthProviderName>().primary().check(`provider in ('google', 'github')`),
    subject: p.text().primary(),
    userId: () =>
      p.manyToOne(User).mapToPk().fieldName('user_id').updateRule('no action').deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});

/** Invitations mailed in a clock hour; `subject` is the invited address, or the id of the user who invites. */
export const InvitationHour = defineEntity({
  name: 'InvitationHour',
  tableName: 'invitation_hours',
  properties: {
    subject: p.text().primary(),
    hour: instant().primary(),
    mails: p.integer(),
  },
});

/** Passwords tried in a quarter of an hour, by the hash of an account and of where they came from. */
export const SignInAttempts = defineEntity({
  name: 'SignInAttempts',
  tableName: 'sign_in_attempts',
  indexes: [{ name: 'sign_in_attempts_end', properties: ['endsAt'] }],
  properties: {
    subject: p.blob().primary(),
    attempts: p.integer(),
    endsAt: instant(),
  },
});

/** A device or address that signed in to an account, as a hash. */
export const SignInSource = defineEntity({
  name: 'SignInSource',
  tableName: 'sign_in_sources',
  indexes: [{ name: 'sign_in_sources_seen', properties: ['seenAt'] }],
  properties: {
    userId: () =>
      p
        .manyToOne(User)
        .mapToPk()
        .fieldName('user_id')
        .primary()
        .updateRule('no action')
        .deleteRule('cascade'),
    source: p.blob().primary(),
    seenAt: instant().defaultRaw('now()'),
  },
});

/** A place in a project for whoever proves to have the address. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  indexes: [{ name: 'invitations_email', properties: ['email'] }],
  uniques: [{ name: 'invitations_project_email', properties: ['projectId', 'email'] }],
  properties: {
    id: primaryId(),
    projectId: () =>
      p.manyToOne(Project).mapToPk().fieldName('project_id').updateRule('no action').deleteRule('cascade'),
    email: p.text(),
    role: p
      .text()
      .$type<Role>()
      .check(`role in ('${roles.join("', '")}')`),
    tokenHash: p.blob().unique(),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});
