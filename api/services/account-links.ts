import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { AccountTokenPurpose } from '../../db/entities/account.ts';
import type { Orm } from '../../db/orm.ts';
import {
  findTokenUser,
  insertAccountToken,
  takeToken,
} from '../../db/repositories/accounts/account-tokens.ts';
import { acceptInvitations } from '../../db/repositories/accounts/invitations.ts';
import { findUserByEmail, markVerified, replacePassword } from '../../db/repositories/accounts/users.ts';
import { type AccountMail, linkHours } from './account-mail.ts';
import type { Passwords } from './passwords.ts';

/** Who asks for a link. */
export interface LinkRequest {
  /** Normalised. */
  email: string;
  /** Value of `Accept-Language`. */
  language: string | undefined;
}

export interface AccountLinksService {
  /**
   * Mails a link that proves the address, unless nobody has it or it is proven. The answer and its time are the same
   * in each case: what differs is done after it.
   * @throws DomainError `SERVICE_UNAVAILABLE` when this server sends no account emails
   */
  requestVerification(request: LinkRequest): Promise<void>;
  /** As `requestVerification`, with a link to choose a new password. */
  requestPasswordReset(request: LinkRequest): Promise<void>;
  /** Proves an address, and takes the places that wait for it. @throws DomainError `BAD_REQUEST` */
  verifyEmail(token: string): Promise<void>;
  /** Sets a new password and ends every session. @throws DomainError `BAD_REQUEST` for a bad or used token */
  resetPassword(token: string, password: string): Promise<void>;
}

export interface AccountLinksOptions {
  orm: Orm;
  mail: AccountMail;
  passwords: Passwords;
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

    async verifyEmail(token) {
      await orm.em.fork().transactional(async (em) => {
        const userId = await takeToken(em, 'verify-email', mail.hashOf('verify-email', token));
        if (userId === undefined) throw badToken();
        const email = await markVerified(em, userId);
        await acceptInvitations(em, userId, email);
      });
    },

    async resetPassword(token, password) {
      const hash = mail.hashOf('reset-password', token);
      // Before the work of hashing, and once more when the token is taken.
      if ((await findTokenUser(orm.em.fork(), 'reset-password', hash)) === undefined) throw badToken();
      const passwordHash = await passwords.hash(password);
      await orm.em.fork().transactional(async (em) => {
        const userId = await takeToken(em, 'reset-password', hash);
        if (userId === undefined) throw badToken();
        await replacePassword(em, userId, passwordHash);
        // Whoever reads the mail of an address has it.
        await acceptInvitations(em, userId, await markVerified(em, userId));
      });
    },
  };
}
