import { apiKeyKind } from '../../core/crypto/api-key.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { idSchema } from '../../core/id-schema.ts';
import type { Exchange } from './exchange.ts';
import type { ProjectKeys } from './project-keys.ts';
import type { ApiProject, AuthKind, SessionUser } from './route.ts';
import { isUnsafeMethod, originKind } from './same-site.ts';
import type { SessionUsers } from './session-users.ts';
import { hasSessionCookie, type Sessions } from './sessions.ts';

/** Who a request acts for. */
export interface Identity {
  project: ApiProject | null;
  user: SessionUser | null;
}

export interface AuthenticatorOptions {
  keys: ProjectKeys;
  sessions: Sessions;
  sessionUsers: SessionUsers;
  /** Hosts (with port) whose pages may send the cookie along with a change. */
  trustedHosts: ReadonlySet<string>;
}

/**
 * Finds out who sent a request; at once for a cached key.
 *
 * @throws DomainError `MISSING_API_KEY`, `INVALID_API_KEY`, `UNAUTHENTICATED`, `FORBIDDEN` (cookie from another
 * site), `NOT_FOUND` (cookie with a project that the user is no member of)
 */
export type Authenticator = (exchange: Exchange, auth: AuthKind) => Identity | Promise<Identity>;

/** Ours have 43 characters; longer ones are not worth remembering that they are unknown. */
const longestKey = 128;
const nobody: Identity = { project: null, user: null };

const keyNames = { public: 'public key (pk_…)', secret: 'secret key (sk_…)' } as const;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, sessions, sessionUsers, trustedHosts } = options;

  function byKey(header: string, kind: 'public' | 'secret'): Identity | Promise<Identity> {
    const key = bearerToken(header);
    if (key === undefined) throw missingKey(kind);
    const claimed = apiKeyKind(key);
    if (claimed !== undefined && claimed !== kind) throw wrongKind(kind, claimed);
    if (claimed === undefined || key.length > longestKey) throw unknownKey(kind);
    const found = keys.find(kind, key);
    if (found instanceof Promise) return found.then((project) => identityOf(project, kind));
    return identityOf(found, kind);
  }

  async function byCookie(exchange: Exchange, projectId: string | null): Promise<Identity> {
    const session = await sessions.read(exchange.headers.cookie);
    if (session === undefined) throw unauthenticated();
    if (isUnsafeMethod(exchange.method) && originKind(exchange.headers, trustedHosts) !== 'same site') {
      throw new DomainError('FORBIDDEN', 'A change with the session cookie needs an Origin of this site');
    }
    const signedIn = await sessionUsers.find(session, projectId);
    if (signedIn === undefined) throw unauthenticated();
    return signedIn;
  }

  async function byCookieInProject(exchange: Exchange): Promise<Identity> {
    const wanted = exchange.headers['x-project-id'];
    const projectId = idSchema.safeParse(wanted);
    const identity = await byCookie(exchange, projectId.success ? projectId.data : null);
    if (identity.project === null) throw notFound('Project');
    return identity;
  }

  return (exchange, auth) => {
    const { authorization, cookie } = exchange.headers;
    switch (auth) {
      case 'none':
        return refuseForeignPost(exchange, trustedHosts);
      // No cookie counts, so a forged request could only do what its sender can do anyway. Browsers send the
      // Origin `null` from a page that tells no referrer.
      case 'link':
        return nobody;
      case 'publicKey':
        return byKey(authorization ?? '', 'public');
      case 'secretKey':
        if (authorization === undefined && hasSessionCookie(cookie) && 'x-project-id' in exchange.headers) {
          return byCookieInProject(exchange);
        }
        return byKey(authorization ?? '', 'secret');
      case 'user':
        return byCookie(exchange, null);
      case 'userOrSecretKey':
        return authorization === undefined ? byCookie(exchange, null) : byKey(authorization, 'secret');
    }
  };
}

/** A page of another site must not be able to sign someone in or up behind their back. */
function refuseForeignPost(exchange: Exchange, trustedHosts: ReadonlySet<string>): Identity {
  if (isUnsafeMethod(exchange.method) && !exchange.crossOrigin) {
    if (originKind(exchange.headers, trustedHosts) === 'foreign') {
      throw new DomainError('FORBIDDEN', 'Requests of other sites are not accepted here');
    }
  }
  return nobody;
}

function bearerToken(header: string): string | undefined {
  const match = /^Bearer +(\S+)$/i.exec(header);
  return match?.[1];
}

function identityOf(project: ApiProject | undefined, kind: 'public' | 'secret'): Identity {
  if (project === undefined) throw unknownKey(kind);
  return { project, user: null };
}

function missingKey(kind: 'public' | 'secret'): DomainError {
  return new DomainError('MISSING_API_KEY', `This endpoint requires a ${keyNames[kind]}`, {
    suggestion: 'Send the header Authorization: Bearer <API key>.',
  });
}

function wrongKind(needed: 'public' | 'secret', sent: 'public' | 'secret'): DomainError {
  return new DomainError(
    'INVALID_API_KEY',
    `This endpoint requires a ${keyNames[needed]}, not a ${keyNames[sent]}`,
  );
}

function unknownKey(kind: 'public' | 'secret'): DomainError {
  return new DomainError(
    'INVALID_API_KEY',
    `This is not a valid key; the endpoint requires a ${keyNames[kind]}`,
  );
}

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'Sign in first');
}
