import { jwtVerify, SignJWT } from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { OAuthProviderName } from '../../db/entities/account.ts';
import type { UserRow } from '../../db/entities/user.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { isInvited } from '../../db/repositories/accounts/invitations.ts';
import { findUserByIdentity, linkIdentity } from '../../db/repositories/accounts/oauth-identities.ts';
import { proveAddress } from '../../db/repositories/accounts/prove-address.ts';
import { findUser, insertUser, lockUserByEmail } from '../../db/repositories/accounts/users.ts';
import { type OAuthProfile, type OAuthProvider, OAuthRefused } from '../../providers/oauth/oauth-provider.ts';
import type { Sessions } from '../edge/sessions.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

const cookieName = 'oauth';
const attemptSeconds = 10 * 60;
const attemptSchema = z.object({
  provider: z.string(),
  state: z.string(),
  codeVerifier: z.string(),
  nonce: z.string(),
});

export type OAuthProviders = Readonly<Record<OAuthProviderName, OAuthProvider | null>>;

/** Both: @throws DomainError `NOT_FOUND` when not configured, `SERVICE_UNAVAILABLE` when the provider is away. */
export interface OAuthService {
  readonly configured: Record<OAuthProviderName, boolean>;
  start(provider: OAuthProviderName): Promise<{ location: string; cookies: string[] }>;
  /**
   * Signs in whoever the provider says it is: the user of that account, else the one with the verified address, else
   * a new one.
   * @param url path and query of the request
   * @throws DomainError `BAD_REQUEST` when the browser did not begin this or nobody signed in, `FORBIDDEN` without a
   * verified address, or for a new user while sign-up is off
   */
  finish(
    provider: OAuthProviderName,
    url: string,
    client: SignInClient,
  ): Promise<{ location: string; cookies: string[] }>;
}

export interface OAuthServiceOptions {
  orm: Orm;
  sessions: Sessions;
  guard: Pick<SignInGuard, 'remember'>;
  providers: OAuthProviders;
  signupEnabled: boolean;
  /** Derived for the purpose `oauth-attempt`. */
  key: Uint8Array;
  isHttps: boolean;
  /** Where the browser ends up, signed in. */
  signedInUrl: string;
}

/** Sign-in with an account elsewhere. */
export function createOAuthService(options: OAuthServiceOptions): OAuthService {
  const { orm, sessions, guard, providers, key } = options;
  const attributes = `Path=/auth/oauth; HttpOnly; SameSite=Lax${options.isHttps ? '; Secure' : ''}`;

  function requireProvider(name: OAuthProviderName): OAuthProvider {
    const provider = providers[name];
    if (provider === null) throw notFound('OAuth provider');
    return provider;
  }

  async function readAttempt(name: OAuthProviderName, cookieHeader: string | undefined) {
    const cookie = cookieHeader
      ?.split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${cookieName}=`));
    try {
      const { payload } = await jwtVerify(cookie?.slice(cookieName.length + 1) ?? '', key, {
        algorithms: ['HS256'],
      });
      const attempt = attemptSchema.parse(payload);
      if (attempt.provider === name) return attempt;
    } catch {
      // Missing, forged or too old: in each case this browser did not begin it.
    }
    throw new DomainError('BAD_REQUEST', 'This sign-in was not begun here, or took too long', {
      suggestion: 'Begin it again.',
    });
  }

  async function userOf(em: Em, name: OAuthProviderName, profile: OAuthProfile): Promise<UserRow> {
    const known = await findUserByIdentity(em, name, profile.subject);
    if (known !== undefined) return known;
    const email = profile.verifiedEmail === null ? undefined : parseEmailAddress(profile.verifiedEmail);
    if (email === undefined) {
      throw new DomainError('FORBIDDEN', 'The account there has no verified email address');
    }
    const user = (await lockUserByEmail(em, email)) ?? (await addUser(em, email, profile.name));
    // An earlier sign-up with the address has not proven it: its password must not open the account from now on.
    await proveAddress(em, user, user.emailVerified ? undefined : { passwordHash: null });
    await linkIdentity(em, { provider: name, subject: profile.subject, userId: user.id });
    const linked = await findUser(em, user.id);
    if (linked === undefined) throw new Error('The user is locked and can not be gone');
    return linked;
  }

  async function addUser(em: Em, email: string, name: string | null): Promise<UserRow> {
    if (!options.signupEnabled && !(await isInvited(em, email))) {
      throw new DomainError('FORBIDDEN', 'Sign-up is off on this server');
    }
    const added = await insertUser(em, {
      id: newId(),
      email,
      name: name?.slice(0, 200) ?? null,
      passwordHash: null,
    });
    if (added === undefined)
      throw new DomainError('CONFLICT', 'The account was created a moment ago; try again');
    return added;
  }

  async function asking<Answer>(call: Promise<Answer>): Promise<Answer> {
    try {
      return await call;
    } catch (cause) {
      if (cause instanceof OAuthRefused) {
        throw new DomainError('BAD_REQUEST', 'The provider signed nobody in', { cause });
      }
      throw new DomainError('SERVICE_UNAVAILABLE', 'The provider did not answer', { cause });
    }
  }

  return {
    configured: { google: providers.google !== null, github: providers.github !== null },

    async start(name) {
      const provider = requireProvider(name);
      const attempt = {
        state: client.randomState(),
        codeVerifier: client.randomPKCECodeVerifier(),
        nonce: client.randomNonce(),
      };
      const location = await asking(provider.authorizationUrl(attempt));
      const token = await new SignJWT({ provider: name, ...attempt })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(`${attemptSeconds}s`)
        .sign(key);
      return {
        location: location.href,
        cookies: [`${cookieName}=${token}; Max-Age=${attemptSeconds}; ${attributes}`],
      };
    },

    async finish(name, url, from) {
      const provider = requireProvider(name);
      const attempt = await readAttempt(name, from.cookie);
      const profile = await asking(provider.profileOf(new URL(url, 'http://callback'), attempt));
      const user = await orm.em.fork().transactional((em) => userOf(em, name, profile));
      const session = await sessions.signIn({ userId: user.id, sessionVersion: user.sessionVersion });
      return {
        location: options.signedInUrl,
        cookies: [
          session,
          await guard.remember(orm.em.fork(), user.id, from),
          `${cookieName}=; Max-Age=0; ${attributes}`,
        ],
      };
    },
  };
}
