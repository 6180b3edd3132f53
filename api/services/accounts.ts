import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { DomainError } from '../../core/errors.ts';
import { Invitation, Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { lockAddress } from '../../db/statements/accounts/lock-address.ts';
import type { SignUpBody } from '../schemas/auth.ts';
import type { AccountLinksService } from './account-links.ts';
import type { LinkRequestsService } from './link-requests.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import type { Passwords } from './passwords.ts';
import { proveAddress } from './prove-address.ts';
import { type SessionsService, signedOut } from './sessions.ts';
import type { SignInClient, SignInGuard } from './sign-in-guard.ts';

/**
 * `email` is normalized; `language` is the `Accept-Language` value; `invitation` is a token from an invitation email.
 */
export type NewAccount = SignUpBody & { language?: string | undefined };

export interface AccountsServiceOptions {
  orm: Orm;
  sessions: Pick<SessionsService, 'open'>;
  passwords: Passwords;
  oneTimeLinks: Pick<OneTimeLinks, 'isConfigured' | 'hashOf'>;
  accountLinks: Pick<AccountLinksService, 'useSignIn'>;
  linkRequests: Pick<LinkRequestsService, 'promiseVerification' | 'promised'>;
  guard: Pick<SignInGuard, 'admit'>;
  signupEnabled: boolean;
}

const noLongerValid = 'This invitation is no longer valid';
const forUselessInvitation =
  'Use the address that it was mailed to. It may also have been used or withdrawn, or have expired: ask for a new one.';

export function createAccountsService(options: AccountsServiceOptions) {
  const { orm, sessions, passwords, guard } = options;

  async function signIn(user: User, client: SignInClient, em?: Em) {
    return { user, ...(await sessions.open(user, client, em)) };
  }

  return {
    /**
     * Creates a user and mails a verification link, if this server sends account emails. An invitation to the address
     * verifies it, works while sign-up is off, and takes over an unverified account: the password is replaced and
     * sessions end.
     * @throws DomainError `FORBIDDEN` when sign-up is off, `BAD_REQUEST` for an invalid invitation, `CONFLICT` when the
     * address is taken
     */
    createAccount: (account: NewAccount) => addAccount(options, account, async (user) => user),

    /** Creates an account, as `createAccount`, and signs it in. */
    signUp: (account: NewAccount, client: SignInClient) =>
      addAccount(options, account, (user, em) => signIn(user, client, em)),

    /**
     * What an invitation is for. `hasAccount`: someone has signed up with the address, but not verified it.
     * @throws DomainError `BAD_REQUEST` for an invalid or expired invitation
     */
    async invitation(token: string) {
      const invitation = await findOpen(options, token);
      const em = orm.em.fork();
      const project = invitation && (await em.findOne(Project, { id: invitation.projectId }));
      if (!invitation || !project) {
        throw new DomainError('BAD_REQUEST', noLongerValid, {
          suggestion: 'It may have been used or withdrawn, or have expired: ask for a new one.',
        });
      }
      const { email } = invitation;
      return { email, projectName: project.name, hasAccount: (await em.count(User, { email })) > 0 };
    },

    /**
     * @throws DomainError `UNAUTHENTICATED`, the same for an unknown address and a wrong password;
     * `RATE_LIMIT_EXCEEDED` (`SignInGuard`)
     */
    logIn: async ({ email, password }: { email: string; password: string }, client: SignInClient) => {
      const giveBack = await guard.admit(email, client);
      const user = await orm.em.fork().findOne(User, { email });
      const isRight = await passwords.matches(user?.passwordHash ?? undefined, password);
      if (user === null || !isRight) {
        throw new DomainError('UNAUTHENTICATED', 'Wrong email address or password');
      }
      await giveBack();
      return signIn(user, client);
    },

    /** @throws DomainError `BAD_REQUEST` for an invalid, expired or used token */
    logInOnce: (token: string, client: SignInClient) =>
      options.accountLinks.useSignIn(token, (user, em) => signIn(user, client, em)),

    get: (userId: string) => orm.em.fork().findOneOrFail(User, { id: userId }, { failHandler: signedOut }),
  };
}

/** @param finish runs in the transaction, with the new user */
async function addAccount<Result>(
  options: AccountsServiceOptions,
  { email, password, name, invitation, language }: NewAccount,
  finish: (user: User, em: Em) => Promise<Result>,
): Promise<Result> {
  const { orm, passwords, oneTimeLinks, linkRequests } = options;
  const invited = invitation === undefined ? undefined : (await findOpen(options, invitation))?.email;
  const help = invitation === undefined ? {} : { suggestion: forUselessInvitation };
  if (!options.signupEnabled && invited !== email) {
    throw new DomainError('FORBIDDEN', 'Sign-up is off on this server', help);
  }
  if (invitation !== undefined && invited !== email) {
    throw new DomainError('BAD_REQUEST', 'This invitation is not valid for the address', help);
  }
  const account = { email, name: name || null, passwordHash: await passwords.hash(password) };
  const result = await orm.em
    .fork()
    .transactional(async (em) => {
      const added = await (invitation === undefined
        ? addUser(em, account)
        : addInvited(em, account, oneTimeLinks.hashOf('invitation', invitation)));
      if (!added.emailVerified && oneTimeLinks.isConfigured) {
        linkRequests.promiseVerification(em, { email, language });
      }
      return finish(added, em);
    })
    .catch((error: unknown) => {
      throw error instanceof UniqueConstraintViolationException ? isTaken() : error;
    });
  linkRequests.promised();
  return result;
}

async function addUser(em: Em, user: Pick<User, 'email' | 'name' | 'passwordHash'>): Promise<User> {
  const added = em.create(User, user);
  await em.flush();
  return added;
}

/** The invitation was mailed, so the caller owns the address; an earlier, unverified sign-up does not. */
async function addInvited(
  em: Em,
  user: { email: string; name: string | null; passwordHash: string },
  opened: Buffer,
): Promise<User> {
  await lockAddress(em, user.email);
  const known = await lockRecord(em, User, { email: user.email });
  // It may have been withdrawn while the password was hashed.
  if ((await em.getRepository(Invitation).findOpen(opened)) === undefined) {
    throw new DomainError('BAD_REQUEST', noLongerValid, { suggestion: forUselessInvitation });
  }
  const invitee = known ?? (await addUser(em, user));
  if (invitee.emailVerified) throw isTaken();
  await proveAddress(em, invitee, { passwordHash: user.passwordHash }, opened);
  return invitee;
}

const isTaken = () => new DomainError('CONFLICT', 'An account with this address already exists');

function findOpen({ orm, oneTimeLinks }: AccountsServiceOptions, token: string) {
  const hash = oneTimeLinks.hashOf('invitation', token);
  return orm.em.fork().getRepository(Invitation).findOpen(hash);
}
