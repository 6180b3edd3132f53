import { v7 as uuidv7 } from 'uuid';
import { DomainError } from '../../core/errors.ts';
import type { UserRow } from '../../db/entities/user.ts';
import type { Orm } from '../../db/orm.ts';
import { findUser, findUserByEmail, insertUser } from '../../db/repositories/users.ts';
import type { Sessions } from '../edge/sessions.ts';
import { presentUser, type UserAnswer } from '../presenters/user.ts';
import type { Passwords } from './passwords.ts';

export interface SignedInUser {
  user: UserAnswer;
  /** The `Set-Cookie` value of the session. */
  cookie: string;
}

export interface AccountsService {
  /** @throws DomainError `FORBIDDEN` when sign-up is off, `CONFLICT` when the address is taken */
  signUp(input: { email: string; password: string; name?: string | undefined }): Promise<SignedInUser>;
  /** @throws DomainError `UNAUTHENTICATED`, the same for an unknown address and a wrong password */
  logIn(input: { email: string; password: string }): Promise<SignedInUser>;
  /** The `Set-Cookie` value that ends the session in the browser. */
  readonly signOutCookie: string;
  /** @throws DomainError `UNAUTHENTICATED` when the user was deleted meanwhile */
  get(userId: string): Promise<UserAnswer>;
}

export interface AccountsServiceOptions {
  orm: Orm;
  sessions: Sessions;
  passwords: Passwords;
  signupEnabled: boolean;
}

/** Users of the dashboard: sign-up, sign-in and who they are. */
export function createAccountsService(options: AccountsServiceOptions): AccountsService {
  const { orm, sessions, passwords } = options;

  async function signIn(user: UserRow): Promise<SignedInUser> {
    const cookie = await sessions.signIn({ userId: user.id, sessionVersion: user.sessionVersion });
    return { user: presentUser(user), cookie };
  }

  return {
    signUp: async ({ email, password, name }) => {
      if (!options.signupEnabled) throw new DomainError('FORBIDDEN', 'Sign-up is off on this server');
      const passwordHash = await passwords.hash(password);
      const user = await insertUser(orm.em.fork(), {
        id: uuidv7(),
        email,
        name: name || null,
        passwordHash,
      });
      if (user === undefined)
        throw new DomainError('CONFLICT', 'An account with this address exists already');
      return signIn(user);
    },

    logIn: async ({ email, password }) => {
      const user = await findUserByEmail(orm.em.fork(), email);
      const isRight = await passwords.matches(user?.passwordHash ?? undefined, password);
      if (user === undefined || !isRight) {
        throw new DomainError('UNAUTHENTICATED', 'Address or password is wrong');
      }
      return signIn(user);
    },

    signOutCookie: sessions.signOut,

    get: async (userId) => {
      const user = await findUser(orm.em.fork(), userId);
      if (user === undefined) throw new DomainError('UNAUTHENTICATED', 'Sign in first');
      return presentUser(user);
    },
  };
}
