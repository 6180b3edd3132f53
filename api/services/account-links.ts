import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { AccountTokenPurpose } from '../../db/entities/account.ts';
import type { UserRow } from '../../db/entities/user.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  findTokenUser,
  insertAccountToken,
  takeToken,
} from '../../db/repositories/accounts/account-tokens.ts';
import { proveAddress } from '../../db/repositories/accounts/prove-address.ts';
import { findUser, findUserByEmail, lockUser } from '../../db/repositories/accounts/users.ts';
import type { Sessions } from '../edge/sessions.ts';
import { type AccountMail, linkHours } from './account-mail.ts';
import type { Passwords } from './passwords.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

/** Who asks for a link. */
export interface LinkRequest {
  /** Normalised. */
  email: string;
  /** Value of `Accept-Language`. */
  language: string | undefined;
}

/** What became of the password of an account whose address was proven. */
export type ProofOutcome = 'kept' | 'password changed' | 'password ended';

export interface AccountLinksService {
  /**
   * Mails a link that proves the address, unless nobody has it or it is proven. The answer and its time are the same
   * in each case: what differs is done after it.
   * @throws DomainError `SERVICE_UNAVAILABLE` when this server sends no account emails
   */
  requestVerification(request: LinkRequest): Promise<void>;
  /** As `requestVerification`, with a link to choose a new password. */
  requestPasswordReset(request: LinkRequest): Promise<void>;
  /**
   * Proves an address, and takes the places that wait for it. Unless the one who follows the link has a session or
   * knows the password of the account, somebody else may have signed up with the address: then its sessions end, and
   * its password becomes the given one, or none.
   * @throws DomainError `BAD_REQUEST` for a bad or used token
   */
  verifyEmail(token: string, password: string | undefined, cookie: string | undefined): Promise<ProofOutcome>;
  /**
   * The address that a link would prove, and whether a password is needed to keep the one of the account.
   * @throws DomainError as `verifyEmail`
   */
  verification(token: string, cookie: string | undefined): Promise<{ email: string; needsPassword: boolean }>;
  /**
   * Sets a new password and ends every session.
   * @returns the `Set-Cookie` value by which this device is known from then on
   * @throws DomainError `BAD_REQUEST` for a bad or used token
   */
  resetPassword(token: string, password: string, client: SignInClient): Promise<string>;
}

export interface AccountLinksOptions {
  orm: Orm;
  mail: AccountMail;
  passwords: Passwords;
  sessions: Pick<Sessions, 'read'>;
  guard: Pick<SignInGuard, 'remember'>;
  /** Called after a commit that left a command for Temporal. */
  committed: () => void;
  warn: (message: string, error: unknown) => void;
}

function badToken(): DomainError {
  return new DomainError('BAD_REQUEST', 'This link is not valid any more', {
    suggestion: 'Ask for a new one.',
  });
}

/** Proof of addresses and new passwords by links that work once. */
export function createAccountLinksService(options: AccountLinksOptions): AccountLinksService {
  const { orm, mail, passwords } = options;

  async function sendLink(userId: string, purpose: AccountTokenPurpose, request: LinkRequest): Promise<void> {
    const { token, hash } = mail.createToken(purpose);
    await orm.em.fork().transactional(async (em) => {
      const minutes = linkHours(purpose) * 60;
      const isNew = await insertAccountToken(em, { id: newId(), userId, purpose, tokenHash: hash, minutes });
      if (isNew) {
        await mail.queue(em, { to: request.email, purpose, token, language: request.language });
      }
    });
    options.committed();
  }

  /** Nobody waits for it, so that its time tells nothing; who asked in vain asks again. */
  function sendInBackground(userId: string, purpose: AccountTokenPurpose, request: LinkRequest): void {
    setImmediate(() => {
      sendLink(userId, purpose, request).catch((error) =>
        options.warn('An account email was not queued', error),
      );
    });
  }

  async function requireLinkUser(purpose: AccountTokenPurpose, hash: Buffer): Promise<UserRow> {
    const em = orm.em.fork();
    const userId = await findTokenUser(em, purpose, hash);
    const user = userId === undefined ? undefined : await findUser(em, userId);
    if (user === undefined) throw badToken();
    return user;
  }

  /** In a transaction: uses a link up. @returns its user, locked */
  async function takeLink(em: Em, purpose: AccountTokenPurpose, hash: Buffer): Promise<UserRow> {
    // The user first, as everywhere where both are written, so that no two wait for each other.
    const userId = await findTokenUser(em, purpose, hash);
    const user = userId === undefined ? undefined : await lockUser(em, userId);
    if (user === undefined || (await takeToken(em, purpose, hash)) === undefined) throw badToken();
    return user;
  }

  async function hasSession(user: UserRow, cookie: string | undefined): Promise<boolean> {
    const session = await options.sessions.read(cookie);
    return session?.userId === user.id && session.sessionVersion === user.sessionVersion;
  }

  return {
    async requestVerification(request) {
      mail.requireConfigured();
      const user = await findUserByEmail(orm.em.fork(), request.email);
      if (user !== undefined && !user.emailVerified) sendInBackground(user.id, 'verify-email', request);
    },

    async requestPasswordReset(request) {
      mail.requireConfigured();
      const user = await findUserByEmail(orm.em.fork(), request.email);
      if (user !== undefined) sendInBackground(user.id, 'reset-password', request);
    },

    async verifyEmail(token, password, cookie) {
      const hash = mail.hashOf('verify-email', token);
      const user = await requireLinkUser('verify-email', hash);
      let isProven = user.emailVerified || (await hasSession(user, cookie));
      let passwordHash: string | null = null;
      if (!isProven && password !== undefined) {
        isProven = await passwords.matches(user.passwordHash ?? undefined, password);
        if (!isProven) passwordHash = await passwords.hash(password);
      }
      await orm.em.fork().transactional(async (em) => {
        const now = await takeLink(em, 'verify-email', hash);
        // What was compared above must be what holds: a reset in between has ended it.
        isProven &&= now.sessionVersion === user.sessionVersion;
        isProven ||= now.emailVerified;
        await proveAddress(em, now, isProven ? undefined : { passwordHash });
      });
      if (isProven) return 'kept';
      return passwordHash === null ? 'password ended' : 'password changed';
    },

    async verification(token, cookie) {
      const user = await requireLinkUser('verify-email', mail.hashOf('verify-email', token));
      return { email: user.email, needsPassword: !user.emailVerified && !(await hasSession(user, cookie)) };
    },

    async resetPassword(token, password, client) {
      const hash = mail.hashOf('reset-password', token);
      // Before the work of hashing, and once more when the token is taken.
      await requireLinkUser('reset-password', hash);
      const passwordHash = await passwords.hash(password);
      return orm.em.fork().transactional(async (em) => {
        const user = await takeLink(em, 'reset-password', hash);
        // Whoever reads the mail of an address has it.
        await proveAddress(em, user, { passwordHash });
        return options.guard.remember(em, user.id, client);
      });
    },
  };
}
