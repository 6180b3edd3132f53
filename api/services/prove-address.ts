import { LockMode } from '@mikro-orm/core';
import { joinedProjectsPerUser } from '../../core/accounts/limits.ts';
import { AccountToken } from '../../db/entities/account-token.ts';
import { Invitation, Membership, Project } from '../../db/entities/project.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { SignInSource } from '../../db/entities/sign-in.ts';
import { OAuthIdentity, type User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em } from '../../db/orm.ts';
import { countMemberships } from '../../db/statements/projects/count-memberships.ts';

/**
 * Must run in a transaction that has locked the user. Marks the address as verified and accepts its invitations, as far
 * as a person may be added to projects; the others are withdrawn.
 * @param takeOver required unless the person who signed up is known to own the address. Replaces the password (null
 * for none) and deletes sessions, mailed links, known devices and, on first verification, linked identities, because
 * someone else may have created them
 * @param opened hash of the token of the invitation whose link was opened; it is accepted before the others, of which
 * the latest come first
 */
export async function proveAddress(
  em: Em,
  user: User,
  takeOver?: { passwordHash: string | null },
  opened?: Buffer,
): Promise<void> {
  if (takeOver !== undefined) {
    user.replacePassword(takeOver.passwordHash);
    await em.nativeDelete(AccountToken, { user });
    await em.nativeDelete(SignInSource, { user });
    if (!user.emailVerified) await em.nativeDelete(OAuthIdentity, { user });
  }
  user.emailVerified = true;
  await acceptInvitations(em, user, opened);
}

async function acceptInvitations(em: Em, user: User, opened: Buffer | undefined): Promise<void> {
  const projectIds = await keepProjects(em, user.email);
  // Locked, so that an invitation withdrawn concurrently is either accepted first or not at all.
  const invitations = await em.find(
    Invitation,
    { email: user.email, projectId: { $in: projectIds } },
    { orderBy: { expiresAt: 'desc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, ...allProjects },
  );
  const { joined } = await countMemberships(em, user.id);
  const isOpened = ({ tokenHash }: Invitation) => opened?.equals(tokenHash) === true;
  const accepted = invitations
    .filter((invitation) => invitation.isOpen())
    .toSorted((one, other) => Number(isOpened(other)) - Number(isOpened(one)))
    .slice(0, Math.max(0, joinedProjectsPerUser - joined))
    .map(({ projectId, role }) => ({ project: projectId, user: user.id, role }));
  // A direct invitation may add the membership concurrently; existing memberships are left unchanged.
  if (accepted.length > 0) await em.upsertMany(Membership, accepted, { onConflictAction: 'ignore' });
  for (const invitation of invitations) em.remove(invitation);
}

/**
 * Locks the projects that invited an address, so that they are not deleted. Must come before locking the invitations: a
 * deletion locks in that order too, and the opposite order could deadlock.
 */
async function keepProjects(em: Em, email: string): Promise<string[]> {
  const invitations = await em.find(Invitation, { email }, allProjects);
  const projectIds = invitations.map(({ projectId }) => projectId);
  for (const id of projectIds) await lockRecord(em, Project, { id }, { mode: 'for key share' });
  return projectIds;
}
