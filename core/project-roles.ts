/** Places in a project. A MEMBER works in it, an ADMIN runs it, an OWNER has it. */
export type ProjectRole = 'OWNER' | 'ADMIN' | 'MEMBER';

/** Whether a role may see the secret key, rotate the keys, reset the project and see and change its members. */
export function mayAdminister(role: ProjectRole): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}

/**
 * Whether somebody may give and take a place in a project: owners every one, admins all but the owners'.
 *
 * @param from the place that the person has now, null for none
 * @param to the place that the person is to have, null for none
 */
export function mayMove(actor: ProjectRole, from: ProjectRole | null, to: ProjectRole | null): boolean {
  if (actor === 'OWNER') return true;
  return actor === 'ADMIN' && from !== 'OWNER' && to !== 'OWNER';
}
