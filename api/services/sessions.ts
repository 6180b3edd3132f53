import { sessionDays } from '../../core/accounts/limits.ts';
import { readUserAgent } from '../../core/accounts/user-agent.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { User, UserSession } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { Session, SessionTokens } from '../access/session-tokens.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

export type SessionsService = ReturnType<typeof createSessionsService>;

export interface SessionsServiceOptions {
  orm: Orm;
  tokens: SessionTokens;
  guard: Pick<SignInGuard, 'remember'>;
}

const mostListed = 100;
const lifetimeMs = sessionDays * 24 * 60 * 60 * 1000;

/** Methods that take cookies take what the caller sent under the session's name. */
export function createSessionsService({ orm, tokens, guard }: SessionsServiceOptions) {
  function read(cookies: readonly string[]): Session {
    const session = tokens.read(cookies);
    if (session === undefined) throw signedOut();
    return session;
  }

  return {
    /**
     * Signs a user in and remembers the device. `session` and `device` are for the cookies.
     * @param em in the transaction of what the session must not exist without, nor that without the session
     */
    async open(user: User, client: SignInClient, em: Em = orm.em.fork()) {
      const device = await guard.remember(em, user.id, client);
      return { session: tokens.signIn(await record(em, user, client)), device };
    },

    /** The newest 100, newest first; none that began before sessions were recorded. */
    async list(cookies: readonly string[]) {
      const { userId, sessionVersion, id } = read(cookies);
      const valid = { user: userId, version: sessionVersion, expiresAt: { $gt: new Date() } };
      const latest = { orderBy: { id: 'desc' }, limit: mostListed } as const;
      const sessions = await orm.em.fork().find(UserSession, valid, latest);
      return sessions.map((session) => ({ session, isCurrent: session.id === id }));
    },

    /**
     * The session is refused from the next request on, by every process.
     * @returns whether it was the caller's own
     * @throws DomainError `NOT_FOUND`
     */
    async end(cookies: readonly string[], sessionId: string) {
      const { userId, id } = read(cookies);
      const ended = await orm.em.fork().nativeDelete(UserSession, { id: sessionId, user: userId });
      if (ended === 0) throw notFound('Session');
      return sessionId === id;
    },

    /**
     * Ends all sessions of the user but the caller's.
     * @returns a new token if the caller's session is not recorded
     */
    async endOthers(cookies: readonly string[], client: SignInClient) {
      const session = read(cookies);
      const renewed = await orm.em.fork().transactional((em) => endOthers(em, session, client));
      return renewed && tokens.signIn(renewed);
    },

    async signOut(cookies: readonly string[]) {
      const session = tokens.read(cookies);
      if (session?.id === undefined) return;
      await orm.em.fork().nativeDelete(UserSession, { id: session.id, user: session.userId });
    },

    async isOf(user: User, cookies: readonly string[]) {
      const session = tokens.read(cookies);
      if (session?.userId !== user.id || session.sessionVersion !== user.sessionVersion) return false;
      if (session.id === undefined) return user.unlistedSessions;
      return (await orm.em.fork().count(UserSession, { id: session.id, user })) > 0;
    },
  };
}

async function record(em: Em, user: User, { userAgent }: SignInClient): Promise<Session> {
  const { id: userId, sessionVersion } = user;
  const expiresAt = new Date(Date.now() + lifetimeMs);
  const begun = { user: userId, version: sessionVersion, expiresAt, ...readUserAgent(userAgent) };
  const { id } = em.create(UserSession, begun);
  await em.flush();
  return { userId, sessionVersion, id };
}

/** Must run in a transaction. Returns a new session if the caller's is not recorded. */
async function endOthers(
  em: Em,
  { userId, sessionVersion, id }: Session,
  client: SignInClient,
): Promise<Session | undefined> {
  const user = await lockRecord(em, User, { id: userId });
  // The session ended after the request was authenticated, for example by the same call from another browser.
  const isOver = id === undefined ? user?.unlistedSessions !== true : !(await em.count(UserSession, { id }));
  if (user === null || user.sessionVersion !== sessionVersion || isOver) throw signedOut();
  user.unlistedSessions = false;
  await em.nativeDelete(UserSession, id === undefined ? { user } : { user, id: { $ne: id } });
  return id === undefined ? record(em, user, client) : undefined;
}

export const signedOut = () => new DomainError('UNAUTHENTICATED', 'Sign in first');
