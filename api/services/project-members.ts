import type { Loaded } from '@mikro-orm/core';
import { joinedProjectsPerUser, linkValidHours } from '../../core/accounts/limits.ts';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { mayChangeRole, type ProjectRole } from '../../core/project-roles.ts';
import { Invitation, Membership } from '../../db/entities/project.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { countInvitationEmail } from '../../db/statements/accounts/count-invitation-email.ts';
import { lockAddress } from '../../db/statements/accounts/lock-address.ts';
import { countMemberships } from '../../db/statements/projects/count-memberships.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import {
  lockProjectAs,
  type ProjectMembership,
  requireAdministrator,
  requireMember,
} from './project-access.ts';

export type Member = Loaded<Membership, 'user'>;

export type Invited = { member: Member; invitation: null } | { member: null; invitation: Invitation };

export interface ProjectMembersOptions {
  orm: Orm;
  oneTimeLinks: OneTimeLinks;
  committed: () => void;
}

function requireRoleChange(actor: ProjectRole, from: ProjectRole | null, to: ProjectRole | null): void {
  if (!mayChangeRole(actor, from, to)) {
    throw new DomainError('FORBIDDEN', 'Only an owner of the project may change who its owners are');
  }
}

async function requireVerifiedInviter(em: Em, userId: string): Promise<void> {
  if ((await em.findOne(User, { id: userId }))?.emailVerified === true) return;
  throw new DomainError('FORBIDDEN', 'Verify your email address before you invite people by email', {
    suggestion: 'POST /auth/request-verification mails you a link.',
  });
}

async function requireFewInvitations(em: Em, userId: string, email: string): Promise<void> {
  const retryAfterSeconds = await countInvitationEmail(em, userId, email);
  if (retryAfterSeconds === undefined) return;
  throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many invitations in this hour', { retryAfterSeconds });
}

/** Requires the user's lock, so that concurrent calls can't exceed the limit. */
async function requireFewJoined(em: Em, userId: string): Promise<void> {
  if ((await countMemberships(em, userId)).joined < joinedProjectsPerUser) return;
  throw new DomainError(
    'CONFLICT',
    `Others have added this person to ${joinedProjectsPerUser} projects, the maximum`,
    { details: { limit: joinedProjectsPerUser }, suggestion: 'Ask the person to leave some of them first.' },
  );
}

/** Requires the project lock; otherwise two owners who step down concurrently could leave no owner. */
async function requireAnotherOwner(em: Em, projectId: string): Promise<void> {
  if ((await em.count(Membership, { project: projectId, role: 'OWNER' })) > 1) return;
  throw new DomainError('CONFLICT', 'A project requires at least one owner', {
    suggestion: 'Make another member an owner first, or delete the project.',
  });
}

/**
 * All methods throw DomainError `NOT_FOUND` for non-members, `FORBIDDEN` for an insufficient role. `changeRole` and
 * `remove` throw `CONFLICT` when no owner would be left.
 */
export function createProjectMembersService(options: ProjectMembersOptions) {
  const { orm, oneTimeLinks } = options;

  return {
    async list(userId: string, projectId: string) {
      const em = projectEm(orm, projectId);
      await requireAdministrator(em, projectId, userId);
      return {
        members: await em.getRepository(Membership).listWithUsers(projectId),
        invitations: await em.getRepository(Invitation).listOpen(),
      };
    },

    /**
     * @throws DomainError `CONFLICT` for an existing member, and for somebody whom others have added to too many projects.
     * When an email is needed: `SERVICE_UNAVAILABLE` if this server sends none, `FORBIDDEN` until the inviter's address is
     * verified, `RATE_LIMIT_EXCEEDED` for too many in an hour
     */
    async invite(userId: string, projectId: string, invited: InvitedPerson) {
      const outcome = await projectEm(orm, projectId).transactional((em) =>
        inviteTo(em, oneTimeLinks, userId, projectId, invited),
      );
      if (outcome.invitation !== null) options.committed();
      return outcome;
    },

    changeRole: (userId: string, projectId: string, memberId: string, role: ProjectRole) =>
      projectEm(orm, projectId).transactional(async (em) => {
        const actor = await lockProjectAs(em, projectId, userId, requireAdministrator);
        const member = await requireMembership(em, projectId, memberId);
        requireRoleChange(actor.role, member.role, role);
        if (member.role === 'OWNER' && role !== 'OWNER') await requireAnotherOwner(em, projectId);
        member.role = role;
        return member;
      }),

    remove: (userId: string, projectId: string, memberId: string) =>
      projectEm(orm, projectId).transactional(async (em) => {
        const isLeaving = userId === memberId;
        const requireRole = isLeaving ? requireMember : requireAdministrator;
        const actor = await lockProjectAs(em, projectId, userId, requireRole);
        // Locked, so that a person who is just accepting it is a member by then, or never.
        const invitation = await lockRecord(em, Invitation, { id: memberId }, { mode: 'for update' });
        if (invitation?.isOpen()) {
          requireRoleChange(actor.role, invitation.role, null);
          em.remove(invitation);
          return;
        }
        const member = await requireMembership(em, projectId, memberId);
        if (!isLeaving) requireRoleChange(actor.role, member.role, null);
        if (member.role === 'OWNER') await requireAnotherOwner(em, projectId);
        em.remove(member);
      }),
  };
}

async function requireMembership(em: Em, projectId: string, memberId: string): Promise<Member> {
  const where = { project: projectId, user: memberId };
  return orNotFound(await em.findOne(Membership, where, { populate: ['user'] }), 'Member');
}

async function addMember(em: Em, projectId: string, user: User, role: ProjectRole): Promise<Member> {
  // Accepting an invitation does not lock the project, so it may add the membership concurrently.
  const membership = { project: projectId, user: user.id, role };
  await em.upsert(Membership, membership, { onConflictAction: 'ignore' });
  return requireMembership(em, projectId, user.id);
}

/** A second invitation replaces the first, whose link stops working. */
async function mailInvitation(
  oneTimeLinks: OneTimeLinks,
  em: Em,
  { user: inviter, project }: ProjectMembership,
  before: Invitation | null,
  { email, role, language }: InvitedPerson,
): Promise<Invitation> {
  oneTimeLinks.requireConfigured();
  await requireVerifiedInviter(em, inviter.id);
  await requireFewInvitations(em, inviter.id, email);
  const { token, hash } = oneTimeLinks.createToken('invitation');
  const expiresAt = new Date(Date.now() + linkValidHours.invitation * 60 * 60 * 1000);
  const fields = { role, tokenHash: hash, expiresAt };
  const values = { project: project.name };
  oneTimeLinks.queueEmail(em, { to: email, purpose: 'invitation', token, language, values });
  return before === null
    ? em.create(Invitation, { projectId: project.id, email, ...fields })
    : em.assign(before, fields);
}

interface InvitedPerson {
  email: string;
  role: ProjectRole;
  language: string | undefined;
}

async function inviteTo(
  em: Em,
  oneTimeLinks: OneTimeLinks,
  userId: string,
  projectId: string,
  invited: InvitedPerson,
): Promise<Invited> {
  const { email, role } = invited;
  const actor = await lockProjectAs(em, projectId, userId, requireAdministrator);
  // Locked, because verifying the address accepts the invitations that it finds, and would not find this one.
  await lockAddress(em, email);
  const user = await lockRecord(em, User, { email });
  // Locked, because verifying the address deletes the invitation concurrently.
  const before = await lockRecord(em, Invitation, { email }, { mode: 'for update' });
  requireRoleChange(actor.role, before?.isOpen() ? before.role : null, role);
  if (user !== null && (await em.count(Membership, { project: projectId, user })) > 0) {
    throw new DomainError('CONFLICT', 'This person is already a member');
  }
  // An unverified account may belong to someone else.
  if (user?.emailVerified === true) {
    await requireFewJoined(em, user.id);
    return { member: await addMember(em, projectId, user, role), invitation: null };
  }
  return { member: null, invitation: await mailInvitation(oneTimeLinks, em, actor, before, invited) };
}
