import { signInLinkMinutes } from '../../core/accounts/limits.ts';
import { DomainError } from '../../core/errors.ts';
import { AccountToken, type AccountTokenPurpose } from '../../db/entities/account-token.ts';
import { User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import type { Passwords } from './passwords.ts';
import { proveAddress } from './prove-address.ts';
import type { SessionsService } from './sessions.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

export type ProofOutcome = 'kept' | 'password changed' | 'password ended';

export type AccountLinksService = ReturnType<typeof createAccountLinksService>;

export interface AccountLinksOptions {
  orm: Orm;
  oneTimeLinks: OneTimeLinks;
  passwords: Passwords;
  sessions: Pick<SessionsService, 'isOf'>;
  guard: Pick<SignInGuard, 'remember'>;
}

/** Methods that take a token throw DomainError `BAD_REQUEST` when it is invalid, expired or used. */
export function createAccountLinksService(options: AccountLinksOptions) {
  return { ...addressProofs(options), ...signInLinks(options) };
}

function addressProofs({ orm, oneTimeLinks, passwords, sessions, guard }: AccountLinksOptions) {
  return {
    /**
     * Verifies an address and accepts its invitations. Someone else may have signed up with the address. So unless
     * the caller has a session or knows the account's password, all sessions end and the password becomes the given
     * one, or none.
     */
    async verifyEmail(
      token: string,
      password: string | undefined,
      session: readonly string[],
    ): Promise<ProofOutcome> {
      const hash = oneTimeLinks.hashOf('verify-email', token);
      const user = await requireLinkUser(orm.em.fork(), 'verify-email', hash);
      let isProven = user.emailVerified || (await sessions.isOf(user, session));
      let passwordHash: string | null = null;
      if (!isProven && password !== undefined) {
        isProven = await passwords.matches(user.passwordHash ?? undefined, password);
        if (!isProven) passwordHash = await passwords.hash(password);
      }
      await orm.em.fork().transactional(async (em) => {
        const now = await useLink(em, 'verify-email', hash);
        // A password reset since the comparison above invalidates it.
        isProven &&= now.sessionVersion === user.sessionVersion;
        isProven ||= now.emailVerified;
        await proveAddress(em, now, isProven ? undefined : { passwordHash });
      });
      if (isProven) return 'kept';
      return passwordHash === null ? 'password ended' : 'password changed';
    },

    /** Returns the address that a link verifies, and whether keeping the account's password requires entering it. */
    async verification(token: string, session: readonly string[]) {
      const hash = oneTimeLinks.hashOf('verify-email', token);
      const user = await requireLinkUser(orm.em.fork(), 'verify-email', hash);
      const isProven = user.emailVerified || (await sessions.isOf(user, session));
      return { email: user.email, needsPassword: !isProven };
    },

    /** Returns the address of the account whose password a link replaces. */
    async passwordReset(token: string) {
      const hash = oneTimeLinks.hashOf('reset-password', token);
      const { email } = await requireLinkUser(orm.em.fork(), 'reset-password', hash);
      return { email };
    },

    /**
     * Sets a new password and ends every session.
     * @returns what identifies this device from now on
     */
    async resetPassword(token: string, password: string, client: SignInClient) {
      const hash = oneTimeLinks.hashOf('reset-password', token);
      // Checked before the expensive hash; `useLink` checks it again.
      await requireLinkUser(orm.em.fork(), 'reset-password', hash);
      const passwordHash = await passwords.hash(password);
      return orm.em.fork().transactional(async (em) => {
        const user = await useLink(em, 'reset-password', hash);
        // The link was mailed, so the caller owns the address.
        await proveAddress(em, user, { passwordHash });
        return guard.remember(em, user.id, client);
      });
    },
  };
}

function signInLinks({ orm, oneTimeLinks }: AccountLinksOptions) {
  return {
    async createSignIn(userId: string) {
      const { token, hash } = oneTimeLinks.createToken('sign-in');
      const em = orm.em.fork();
      const expiresAt = new Date(Date.now() + signInLinkMinutes * 60_000);
      em.create(AccountToken, { user: userId, purpose: 'sign-in', tokenHash: hash, expiresAt });
      await em.flush();
      return token;
    },

    /** @param open runs in the transaction that consumes the link, so that neither happens without the other */
    useSignIn: <Result>(token: string, open: (user: User, em: Em) => Promise<Result>) =>
      orm.em
        .fork()
        .transactional(async (em) =>
          open(await useLink(em, 'sign-in', oneTimeLinks.hashOf('sign-in', token)), em),
        ),
  };
}

function badToken(): DomainError {
  return new DomainError('BAD_REQUEST', 'This link is no longer valid', { suggestion: 'Request a new one.' });
}

/** @throws DomainError `BAD_REQUEST` when the link is invalid, expired or used */
export async function requireLinkUser(
  em: Em,
  purpose: AccountTokenPurpose,
  tokenHash: Buffer,
): Promise<User> {
  const token = await em.findOne(AccountToken, { tokenHash, purpose }, { populate: ['user'], refresh: true });
  if (token === null || token.isExpired()) throw badToken();
  return token.user;
}

/**
 * Must run in a transaction. Consumes the link and all the user's other links of this purpose, and returns the user,
 * locked.
 * @throws DomainError `BAD_REQUEST`, also for all but one of concurrent calls
 */
export async function useLink(em: Em, purpose: AccountTokenPurpose, tokenHash: Buffer): Promise<User> {
  const { id } = await requireLinkUser(em, purpose, tokenHash);
  const user = await lockRecord(em, User, { id });
  if (user === null) throw badToken();
  // Checked again: every caller that consumes one of the user's tokens holds this lock.
  await requireLinkUser(em, purpose, tokenHash);
  await em.nativeDelete(AccountToken, { user, purpose });
  return user;
}
