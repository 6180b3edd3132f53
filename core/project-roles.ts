export const projectRoles = ['OWNER', 'ADMIN', 'MEMBER'] as const;
export type ProjectRole = (typeof projectRoles)[number];

export function mayAdminister(role: ProjectRole): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}

/**
 * Owners may grant and revoke every role, admins all but OWNER.
 *
 * @param from current role, null for none
 * @param to new role, null for none
 */
export function mayChangeRole(actor: ProjectRole, from: ProjectRole | null, to: ProjectRole | null): boolean {
  if (actor === 'OWNER') return true;
  return actor === 'ADMIN' && from !== 'OWNER' && to !== 'OWNER';
}
