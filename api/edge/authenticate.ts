import { raw } from '@mikro-orm/core';
import type { RequestCredential } from '../../analytics/tables/request-log.ts';
import { type ApiKeyKind, apiKeyKind } from '../../core/crypto/api-key.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { idSchema } from '../../core/id-schema.ts';
import { UserSession } from '../../db/entities/user.ts';
import { findSessionUser } from '../../db/statements/access/find-callers.ts';
import type { Identity, SessionUser } from '../access/identity.ts';
import { signedOut } from '../services/sessions.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import { sessionCookies } from './cookies.ts';
import type { Edge } from './create-edge.ts';
import type { Route } from './route.ts';
import { isUnsafeMethod, originKind } from './same-site.ts';

/** Our keys have 43 characters; longer ones must not fill the cache of unknown keys. */
const longestKey = 128;
const nobody: Identity = { project: null, user: null };

const keyNames = { public: 'public key (pk_…)', secret: 'secret key (sk_…)' } as const;

/**
 * Sets `ctx.state.project` and `ctx.state.user`.
 *
 * @throws DomainError `MISSING_API_KEY`, `INVALID_API_KEY`, `UNAUTHENTICATED`, `FORBIDDEN` (cookie from another
 * site), `NOT_FOUND` (the cookie's user is not a member of the project)
 */
export function authenticate(route: Route, edge: Edge): EdgeMiddleware {
  return async (ctx, next) => {
    const { project, user } = await identify(ctx, route, edge);
    ctx.state.project = project;
    ctx.state.user = user;
    if (project !== null) ctx.state.credential = credentialOf(route, user);
    return next();
  };
}

function credentialOf({ auth }: Route, user: SessionUser | null): RequestCredential {
  if (user !== null) return 'session';
  return auth === 'publicKey' ? 'publicKey' : 'secretKey';
}

function identify(ctx: EdgeContext, { auth, crossOrigin }: Route, edge: Edge): Identity | Promise<Identity> {
  const { authorization } = ctx.req.headers;
  switch (auth) {
    case 'none':
      if (!crossOrigin) refuseForeignChange(ctx, edge);
      return nobody;
    // No cookie is read, so a forged request gains nothing. Browsers send the Origin `null` from pages without a
    // referrer.
    case 'link':
      return nobody;
    case 'publicKey':
      return byKey(authorization, 'public', edge);
    case 'secretKey':
      if (authorization === undefined && 'x-project-id' in ctx.headers && sessionCookies(ctx).length > 0) {
        return byCookieInProject(ctx, edge);
      }
      return byKey(authorization, 'secret', edge);
    case 'user':
      return byCookie(ctx, edge, null);
    case 'userOrSecretKey':
      return authorization === undefined ? byCookie(ctx, edge, null) : byKey(authorization, 'secret', edge);
  }
}

async function byKey(header: string | undefined, kind: ApiKeyKind, { projectKeys }: Edge): Promise<Identity> {
  const [, key] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
  if (key === undefined) {
    throw new DomainError('MISSING_API_KEY', `This endpoint requires a ${keyNames[kind]}`, {
      suggestion: 'Send the header Authorization: Bearer <API key>.',
    });
  }
  const claimed = apiKeyKind(key);
  if (claimed !== undefined && claimed !== kind) {
    const message = `This endpoint requires a ${keyNames[kind]}, not a ${keyNames[claimed]}`;
    throw new DomainError('INVALID_API_KEY', message);
  }
  const isKey = claimed !== undefined && key.length <= longestKey;
  const project = isKey ? await projectKeys.find(kind, key) : undefined;
  if (project !== undefined) return { project, user: null };
  const message = `This is not a valid key; the endpoint requires a ${keyNames[kind]}`;
  throw new DomainError('INVALID_API_KEY', message);
}

/** @returns a `project` of null for those who are no member of it */
async function byCookie(ctx: EdgeContext, edge: Edge, projectId: string | null): Promise<Identity> {
  const session = edge.sessions.read(sessionCookies(ctx));
  if (session === undefined) throw signedOut();
  if (isUnsafeMethod(ctx.method) && originKind(ctx.headers, edge.trustedHosts) !== 'same site') {
    throw new DomainError(
      'FORBIDDEN',
      'With the session cookie, changes must come from this site (Origin header)',
    );
  }
  // Read on every request, so that revoking a session or membership takes effect at once.
  const row = await findSessionUser(edge.em, session, projectId);
  if (row === undefined) throw signedOut();
  if (row.isUntouched && session.id !== undefined) {
    // The condition on `lastUsedAt` lets only one of several concurrent calls write.
    const untouched = { id: session.id, lastUsedAt: { $lt: raw("now() - interval '10 minutes'") } };
    await edge.em.nativeUpdate(UserSession, untouched, { lastUsedAt: raw('now()') });
  }
  return { user: { id: row.id, role: row.role }, project: row.project };
}

async function byCookieInProject(ctx: EdgeContext, edge: Edge): Promise<Identity> {
  const projectId = idSchema.safeParse(ctx.headers['x-project-id']);
  const identity = await byCookie(ctx, edge, projectId.success ? projectId.data : null);
  if (identity.project === null) throw notFound('Project');
  return identity;
}

// Login CSRF: another site must not sign someone in or up without their knowledge.
function refuseForeignChange({ method, headers }: EdgeContext, { trustedHosts }: Edge): void {
  if (isUnsafeMethod(method) && originKind(headers, trustedHosts) === 'foreign') {
    throw new DomainError('FORBIDDEN', 'Cross-site requests are not accepted');
  }
}
