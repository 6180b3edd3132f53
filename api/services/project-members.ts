import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { mayMove } from '../../core/project-roles.ts';
import type { Role } from '../../db/entities/membership.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  countInvitationMail,
  deleteInvitation,
  findInvitation,
  findInvitationOf,
  listInvitations,
  type PendingInvitation,
  putInvitation,
} from '../../db/repositories/accounts/invitations.ts';
import {
  addMember,
  changeRole,
  countOwners,
  findMember,
  listMembers,
  type MemberRow,
  removeMember,
} from '../../db/repositories/accounts/memberships.ts';
import { findUser, findUserByEmail } from '../../db/repositories/accounts/users.ts';
import { findProjectOfUser } from '../../db/repositories/projects/projects.ts';
import { type AccountMail, linkHours } from './account-mail.ts';
import { holdAs, requireAdministrator, requireMember } from './project-access.ts';

/** What came of an invitation: a place at once, or one that waits for the address to be proven. */
export type Invited =
  | { member: MemberRow; invitation: null }
  | { member: null; invitation: PendingInvitation };

/** Every method: @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` where the role is not enough. */
export interface ProjectMembersService {
  list(
    userId: string,
    projectId: string,
  ): Promise<{ members: MemberRow[]; invitations: PendingInvitation[] }>;
  /**
   * @throws DomainError `CONFLICT` for a member; when an email is needed, `SERVICE_UNAVAILABLE` if none are sent,
   * `FORBIDDEN` before the inviter has proven an address, `RATE_LIMIT_EXCEEDED` for too many in an hour
   */
  invite(
    userId: string,
    projectId: string,
    invited: { email: string; role: Role; language: string | undefined },
  ): Promise<Invited>;
  /** @throws DomainError `CONFLICT` when the last owner would step down */
  changeRole(userId: string, projectId: string, memberId: string, role: Role): Promise<MemberRow>;
  /**
   * Removes a member, or takes an invitation back by its id. Everyone may leave.
   * @throws DomainError `CONFLICT` when the last owner would leave
   */
  remove(userId: string, projectId: string, memberId: string): Promise<void>;
}

export interface ProjectMembersOptions {
  orm: Orm;
  mail: AccountMail;
  /** Called after a commit that left a command for Temporal. */
  committed: () => void;
}

function requireMove(actor: Role, from: Role | null, to: Role | null): void {
  if (!mayMove(actor, from, to)) {
    throw new DomainError('FORBIDDEN', 'Only an owner of the project may change who its owners are');
  }
}

/** That the user may have an invitation mailed: nobody is written to by somebody who can not be reached. */
async function requireVerifiedInviter(em: Em, userId: string): Promise<void> {
  if ((await findUser(em, userId))?.emailVerified === true) return;
  throw new DomainError('FORBIDDEN', 'Who invites by email must have proven an address', {
    suggestion: 'POST /auth/request-verification mails you a link.',
  });
}

async function requireFewInvitations(em: Em, userId: string, email: string): Promise<void> {
  const retryAfterSeconds = await countInvitationMail(em, userId, email);
  if (retryAfterSeconds === undefined) return;
  throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many invitations in this hour', {
    suggestion: `Try again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  });
}

/** With the project held: of two owners who step down at once, the second is the last. */
async function requireAnotherOwner(em: Em, projectId: string): Promise<void> {
  if ((await countOwners(em, projectId)) > 1) return;
  throw new DomainError('CONFLICT', 'A project needs an owner, and this is the last', {
    suggestion: 'Make somebody else an owner first, or delete the project.',
  });
}

/** Who works on a project, and in which place. */
export function createProjectMembersService(options: ProjectMembersOptions): ProjectMembersService {
  const { orm, mail } = options;

  async function requireMemberRow(em: Em, projectId: string, memberId: string): Promise<MemberRow> {
    const member = await findMember(em, projectId, memberId);
    if (member === undefined) throw notFound('Member');
    return member;
  }

  return {
    async list(userId, projectId) {
      const em = orm.em.fork();
      await requireAdministrator(em, projectId, userId);
      return { members: await listMembers(em, projectId), invitations: await listInvitations(em, projectId) };
    },

    async invite(userId, projectId, { email, role, language }) {
      const outcome = await orm.em.fork().transactional(async (em): Promise<Invited> => {
        const actor = await holdAs(em, projectId, userId, requireAdministrator);
        const before = await findInvitationOf(em, projectId, email);
        requireMove(actor, before?.role ?? null, role);
        const user = await findUserByEmail(em, email);
        if (user !== undefined && (await findMember(em, projectId, user.id)) !== undefined) {
          throw new DomainError('CONFLICT', 'This person is a member already');
        }
        // An address that is not proven may be anybody's.
        if (user?.emailVerified === true) {
          await addMember(em, projectId, user.id, role);
          return { member: await requireMemberRow(em, projectId, user.id), invitation: null };
        }
        mail.requireConfigured();
        await requireVerifiedInviter(em, userId);
        await requireFewInvitations(em, userId, email);
        const { token, hash } = mail.createToken('invitation');
        const days = linkHours('invitation') / 24;
        const invitation = await putInvitation(em, {
          id: newId(),
          projectId,
          email,
          role,
          tokenHash: hash,
          days,
        });
        const project = (await findProjectOfUser(em, userId, projectId))?.name ?? '';
        await mail.queue(em, { to: email, purpose: 'invitation', token, language, values: { project } });
        return { member: null, invitation };
      });
      if (outcome.invitation !== null) options.committed();
      return outcome;
    },

    changeRole: (userId, projectId, memberId, role) =>
      orm.em.fork().transactional(async (em) => {
        const actor = await holdAs(em, projectId, userId, requireAdministrator);
        const member = await requireMemberRow(em, projectId, memberId);
        requireMove(actor, member.role, role);
        if (member.role === 'OWNER' && role !== 'OWNER') await requireAnotherOwner(em, projectId);
        await changeRole(em, projectId, memberId, role);
        return { ...member, role };
      }),

    remove: (userId, projectId, memberId) =>
      orm.em.fork().transactional(async (em) => {
        const isLeaving = userId === memberId;
        const actor = await holdAs(em, projectId, userId, isLeaving ? requireMember : requireAdministrator);
        const invitation = await findInvitation(em, projectId, memberId);
        if (invitation !== undefined) {
          requireMove(actor, invitation.role, null);
          return deleteInvitation(em, projectId, memberId);
        }
        const member = await requireMemberRow(em, projectId, memberId);
        if (!isLeaving) requireMove(actor, member.role, null);
        if (member.role === 'OWNER') await requireAnotherOwner(em, projectId);
        await removeMember(em, projectId, memberId);
      }),
  };
}
