import { UniqueConstraintViolationException } from '@mikro-orm/core';
import jwt from 'jsonwebtoken';
import * as client from 'openid-client';
import { z } from 'zod';
import { oauthAttemptMinutes } from '../../core/accounts/limits.ts';
import type { OAuthProviderName } from '../../core/accounts/oauth-providers.ts';
import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { Invitation } from '../../db/entities/project.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { OAuthIdentity, User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { lockAddress } from '../../db/statements/accounts/lock-address.ts';
import { type OAuthProfile, type OAuthProvider, OAuthRefused } from '../../providers/oauth/oauth-provider.ts';
import { proveAddress } from './prove-address.ts';
import type { SessionsService } from './sessions.ts';
import type { SignInClient } from './sign-in-guard.ts';

const attemptSchema = z.object({
  provider: z.string(),
  state: z.string(),
  codeVerifier: z.string(),
  nonce: z.string(),
});

export type OAuthProviders = Readonly<Record<OAuthProviderName, OAuthProvider | null>>;

type OAuthRefusal =
  | 'attempt_expired'
  | 'address_not_verified'
  | 'sign_up_off'
  | 'provider_refused'
  | 'provider_unavailable';

const because = (reason: OAuthRefusal) => ({ details: { reason } });

export interface OAuthServiceOptions {
  orm: Orm;
  sessions: Pick<SessionsService, 'open'>;
  providers: OAuthProviders;
  signupEnabled: boolean;
  key: Buffer;
  signedInUrl: string;
  signInUrl: string | null;
  warn: (message: string, error: unknown) => void;
}

/**
 * Both methods throw DomainError `NOT_FOUND` for a provider that is not configured, `SERVICE_UNAVAILABLE` when it is
 * down.
 */
export function createOAuthService(options: OAuthServiceOptions) {
  const { sessions, providers, key } = options;

  const requireProvider = (name: OAuthProviderName) => orNotFound(providers[name], 'OAuth provider');

  return {
    /** The sign-in page of the dashboard, which says in words why a sign-in failed; null without a dashboard. */
    signInUrl: options.signInUrl,
    configured: { google: providers.google !== null, github: providers.github !== null },

    async start(name: OAuthProviderName) {
      const provider = requireProvider(name);
      const attempt = {
        state: client.randomState(),
        codeVerifier: client.randomPKCECodeVerifier(),
        nonce: client.randomNonce(),
      };
      const location = await asking(options, provider.authorizationUrl(attempt));
      const token = jwt.sign({ provider: name, ...attempt }, key, {
        algorithm: 'HS256',
        expiresIn: `${oauthAttemptMinutes}m`,
      });
      return { location: location.href, attempt: token };
    },

    /**
     * Signs in the user linked to the provider account, else the user with its verified address, else a new user.
     * @param url path and query of the request
     * @param cookies what the browser sent under the attempt's name
     * @throws DomainError `BAD_REQUEST` when this browser did not start the sign-in or the provider refused it,
     * `FORBIDDEN` without a verified address, or for a new user while sign-up is off and no invitation is open
     */
    async finish(name: OAuthProviderName, url: string, cookies: readonly string[], from: SignInClient) {
      const provider = requireProvider(name);
      const attempt = readAttempt(key, name, cookies);
      const profile = await asking(options, provider.profileOf(new URL(url, 'http://callback'), attempt));
      const user = await findOrAddUser(options, name, profile);
      return { location: options.signedInUrl, ...(await sessions.open(user, from)) };
    },
  };
}

function readAttempt(key: Buffer, name: OAuthProviderName, cookies: readonly string[]) {
  for (const token of cookies) {
    try {
      const attempt = attemptSchema.parse(jwt.verify(token, key, { algorithms: ['HS256'] }));
      if (attempt.provider === name) return attempt;
    } catch {
      // Forged, expired or no JWT: this browser did not start the sign-in.
    }
  }
  throw new DomainError('BAD_REQUEST', 'This sign-in was started in another browser or has expired', {
    ...because('attempt_expired'),
    suggestion: 'Start it again.',
  });
}

async function asking<Answer>(
  options: Pick<OAuthServiceOptions, 'warn'>,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof OAuthRefused) {
      throw new DomainError('BAD_REQUEST', 'The provider did not complete the sign-in', {
        ...because('provider_refused'),
        cause,
      });
    }
    options.warn('an OAuth provider did not answer', cause);
    throw new DomainError('SERVICE_UNAVAILABLE', 'The provider did not answer', {
      ...because('provider_unavailable'),
      cause,
    });
  }
}

async function findOrAddUser(
  options: OAuthServiceOptions,
  name: OAuthProviderName,
  profile: OAuthProfile,
): Promise<User> {
  const findOrAdd = () =>
    options.orm.em.fork().transactional((em) => userOf(options.signupEnabled, em, name, profile));
  try {
    return await findOrAdd();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    // Another request has just added the account or linked it; now it is found.
    return findOrAdd();
  }
}

async function userOf(
  signupEnabled: boolean,
  em: Em,
  name: OAuthProviderName,
  profile: OAuthProfile,
): Promise<User> {
  const { subject } = profile;
  const identity = await em.findOne(OAuthIdentity, { provider: name, subject }, { populate: ['user'] });
  if (identity !== null) return identity.user;
  const email = profile.verifiedEmail === null ? undefined : parseEmailAddress(profile.verifiedEmail);
  if (email === undefined) {
    throw new DomainError(
      'FORBIDDEN',
      'Your account at the provider has no verified email address',
      because('address_not_verified'),
    );
  }
  await lockAddress(em, email);
  const user =
    (await lockRecord(em, User, { email })) ?? (await addUser(signupEnabled, em, email, profile.name));
  // An unverified sign-up proves nothing about the address, so its password must not open the account.
  await proveAddress(em, user, user.emailVerified ? undefined : { passwordHash: null });
  em.create(OAuthIdentity, { provider: name, subject, user });
  return user;
}

async function addUser(signupEnabled: boolean, em: Em, email: string, name: string | null): Promise<User> {
  if (!signupEnabled) {
    const invitations = await em.count(Invitation, { email, expiresAt: { $gt: new Date() } }, allProjects);
    if (invitations === 0) {
      throw new DomainError('FORBIDDEN', 'Sign-up is off on this server', because('sign_up_off'));
    }
  }
  const user = em.create(User, { email, name: name?.slice(0, 200) ?? null });
  await em.flush();
  return user;
}
