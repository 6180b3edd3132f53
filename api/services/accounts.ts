import { v7 as uuidv7 } from 'uuid';
import { DomainError } from '../../core/errors.ts';
import type { UserRow } from '../../db/entities/user.ts';
import type { Orm } from '../../db/orm.ts';
import { findInvitedAddress } from '../../db/repositories/accounts/invitations.ts';
import { proveAddress } from '../../db/repositories/accounts/prove-address.ts';
import {
  findUser,
  findUserByEmail,
  insertUser,
  lockUserByEmail,
} from '../../db/repositories/accounts/users.ts';
import type { Sessions } from '../edge/sessions.ts';
import { presentUser, type UserAnswer } from '../presenters/user.ts';
import type { AccountLinksService } from './account-links.ts';
import type { AccountMail } from './account-mail.ts';
import type { Passwords } from './passwords.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

export interface SignedInUser {
  user: UserAnswer;
  /** The `Set-Cookie` values of the session and the device. */
  cookies: string[];
}

export interface NewAccount {
  /** Normalised. */
  email: string;
  password: string;
  name?: string | undefined;
  /** Token of a mailed invitation. */
  invitation?: string | undefined;
  /** Value of `Accept-Language`. */
  language?: string | undefined;
}

export interface AccountsService {
  /**
   * Creates a user and mails a link that proves the address, where this server sends such. With the token of an
   * invitation to the address it is proven, and sign-up need not be on; an account whose address is not proven is
   * taken over, with none of its password and sessions.
   * @throws DomainError `FORBIDDEN` when sign-up is off, `BAD_REQUEST` for an invitation that is not valid,
   * `CONFLICT` when the address is taken
   */
  signUp(input: NewAccount, client: SignInClient): Promise<SignedInUser>;
  /** The address of a mailed invitation. @throws DomainError `BAD_REQUEST` when it is not valid any more */
  invitedAddress(invitation: string): Promise<string>;
  /**
   * @throws DomainError `UNAUTHENTICATED`, the same for an unknown address and a wrong password; `RATE_LIMIT_EXCEEDED`
   * as `SignInGuard`
   */
  logIn(input: { email: string; password: string }, client: SignInClient): Promise<SignedInUser>;
  /** The `Set-Cookie` value that ends the session in the browser. */
  readonly signOutCookie: string;
  /** @throws DomainError `UNAUTHENTICATED` when the user was deleted meanwhile */
  get(userId: string): Promise<UserAnswer>;
}

export interface AccountsServiceOptions {
  orm: Orm;
  sessions: Sessions;
  passwords: Passwords;
  mail: AccountMail;
  links: Pick<AccountLinksService, 'requestVerification'>;
  guard: SignInGuard;
  signupEnabled: boolean;
}

/** Users of the dashboard: sign-up, sign-in and who they are. */
export function createAccountsService(options: AccountsServiceOptions): AccountsService {
  const { orm, sessions, passwords, mail, links, guard } = options;

  async function signIn(user: UserRow, client: SignInClient): Promise<SignedInUser> {
    const session = await sessions.signIn({ userId: user.id, sessionVersion: user.sessionVersion });
    return {
      user: presentUser(user),
      cookies: [session, await guard.remember(orm.em.fork(), user.id, client)],
    };
  }

  /** The address that a link was mailed to, while it is valid. */
  async function findInvited(invitation: string | undefined): Promise<string | undefined> {
    if (invitation === undefined) return undefined;
    return findInvitedAddress(orm.em.fork(), mail.hashOf('invitation', invitation));
  }

  return {
    signUp: async ({ email, password, name, invitation, language }, client) => {
      const invited = await findInvited(invitation);
      if (!options.signupEnabled && invited !== email) {
        throw new DomainError('FORBIDDEN', 'Sign-up is off on this server');
      }
      if (invitation !== undefined && invited !== email) {
        throw new DomainError('BAD_REQUEST', 'This invitation is not valid for the address');
      }
      const passwordHash = await passwords.hash(password);
      const user = await orm.em.fork().transactional(async (em) => {
        const added = await insertUser(em, { id: uuidv7(), email, name: name || null, passwordHash });
        if (invited === undefined) return added;
        // Only a reader of the mailbox has the link; an earlier sign-up has not proven the address.
        const invitee = added ?? (await lockUserByEmail(em, email));
        if (invitee === undefined || invitee.emailVerified) return undefined;
        await proveAddress(em, invitee, { passwordHash });
        return findUser(em, invitee.id);
      });
      if (user === undefined)
        throw new DomainError('CONFLICT', 'An account with this address exists already');
      if (!user.emailVerified && mail.isConfigured) await links.requestVerification({ email, language });
      return signIn(user, client);
    },

    invitedAddress: async (invitation) => {
      const address = await findInvited(invitation);
      if (address === undefined)
        throw new DomainError('BAD_REQUEST', 'This invitation is not valid any more');
      return address;
    },

    logIn: async ({ email, password }, client) => {
      const giveBack = await guard.admit(email, client);
      const user = await findUserByEmail(orm.em.fork(), email);
      const isRight = await passwords.matches(user?.passwordHash ?? undefined, password);
      if (user === undefined || !isRight) {
        throw new DomainError('UNAUTHENTICATED', 'Address or password is wrong');
      }
      await giveBack();
      return signIn(user, client);
    },

    signOutCookie: sessions.signOut,

    get: async (userId) => {
      const user = await findUser(orm.em.fork(), userId);
      if (user === undefined) throw new DomainError('UNAUTHENTICATED', 'Sign in first');
      return presentUser(user);
    },
  };
}
