import { DomainError, notFound } from '../../core/errors.ts';
import { mayAdminister } from '../../core/project-roles.ts';
import type { Role } from '../../db/entities/membership.ts';
import type { Em } from '../../db/orm.ts';
import { findRole, holdProject } from '../../db/repositories/accounts/memberships.ts';

/** The place of a user in a project. @throws DomainError `NOT_FOUND` for a project of others */
export async function requireMember(em: Em, projectId: string, userId: string): Promise<Role> {
  const role = await findRole(em, projectId, userId);
  if (role === undefined) throw notFound('Project');
  return role;
}

/** @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` for the role MEMBER */
export async function requireAdministrator(em: Em, projectId: string, userId: string): Promise<Role> {
  const role = await requireMember(em, projectId, userId);
  if (!mayAdminister(role)) {
    throw new DomainError('FORBIDDEN', 'Only an owner or admin of the project may do this');
  }
  return role;
}

/** @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` for any other role */
export async function requireOwner(em: Em, projectId: string, userId: string): Promise<void> {
  const role = await requireMember(em, projectId, userId);
  if (role !== 'OWNER') throw new DomainError('FORBIDDEN', 'Only an owner of the project may do this');
}

/**
 * In a transaction: holds the project until its end, and only then looks at the user's place, so that whoever was
 * removed or stepped down a moment ago does nothing any more. Strangers hold nothing.
 *
 * @param rule one of the above
 */
export async function holdAs<Answer>(
  em: Em,
  projectId: string,
  userId: string,
  rule: (em: Em, projectId: string, userId: string) => Promise<Answer>,
): Promise<Answer> {
  await rule(em, projectId, userId);
  if (!(await holdProject(em, projectId))) throw notFound('Project');
  return rule(em, projectId, userId);
}
