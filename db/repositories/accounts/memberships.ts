import type { Role } from '../../entities/membership.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A member of a project, with who it is. */
export interface MemberRow {
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  createdAt: Date;
}

const columns = `m.user_id as "userId", u.email, u.name, m.role, m.created_at as "createdAt"`;

/** The place of a user in a project; undefined for none, also when there is no such project. */
export async function findRole(em: Em, projectId: string, userId: string): Promise<Role | undefined> {
  const [row] = await sql<{ role: Role }>(
    em,
    'select role from memberships where project_id = $1 and user_id = $2',
    [projectId, userId],
  );
  return row?.role;
}

/**
 * In a transaction: holds a project until the end, so that whoever changes its members or settings comes one after
 * the other. @returns false when it is gone
 */
export async function holdProject(em: Em, projectId: string): Promise<boolean> {
  const rows = await sql(em, 'select 1 from projects where id = $1 for no key update', [projectId]);
  return rows.length > 0;
}

/** The members of a project, the oldest first. */
export function listMembers(em: Em, projectId: string): Promise<MemberRow[]> {
  return sql(
    em,
    `select ${columns} from memberships m join users u on u.id = m.user_id
     where m.project_id = $1 order by m.created_at, m.user_id`,
    [projectId],
  );
}

/** The addresses of the owners of a project, with its name; the oldest owner first. */
export function listOwners(em: Em, projectId: string): Promise<{ email: string; projectName: string }[]> {
  return sql(
    em,
    `select u.email, p.name as "projectName" from memberships m
     join users u on u.id = m.user_id join projects p on p.id = m.project_id
     where m.project_id = $1 and m.role = 'OWNER' order by m.created_at, m.user_id`,
    [projectId],
  );
}

export async function findMember(em: Em, projectId: string, userId: string): Promise<MemberRow | undefined> {
  const [row] = await sql<MemberRow>(
    em,
    `select ${columns} from memberships m join users u on u.id = m.user_id
     where m.project_id = $1 and m.user_id = $2`,
    [projectId, userId],
  );
  return row;
}

export async function countOwners(em: Em, projectId: string): Promise<number> {
  const [row] = await sql<{ owners: number }>(
    em,
    `select count(*)::int as owners from memberships where project_id = $1 and role = 'OWNER'`,
    [projectId],
  );
  return row?.owners ?? 0;
}

/** Projects that a user owns. */
export async function countOwnedProjects(em: Em, userId: string): Promise<number> {
  const [row] = await sql<{ owned: number }>(
    em,
    `select count(*)::int as owned from memberships where user_id = $1 and role = 'OWNER'`,
    [userId],
  );
  return row?.owned ?? 0;
}

/** Gives a user a place in a project. @returns false when the user has one */
export async function addMember(em: Em, projectId: string, userId: string, role: Role): Promise<boolean> {
  const rows = await sql(
    em,
    `insert into memberships (project_id, user_id, role) values ($1, $2, $3)
     on conflict (project_id, user_id) do nothing returning 1`,
    [projectId, userId, role],
  );
  return rows.length > 0;
}

export async function changeRole(em: Em, projectId: string, userId: string, role: Role): Promise<void> {
  await sql(em, 'update memberships set role = $3 where project_id = $1 and user_id = $2', [
    projectId,
    userId,
    role,
  ]);
}

export async function removeMember(em: Em, projectId: string, userId: string): Promise<void> {
  await sql(em, 'delete from memberships where project_id = $1 and user_id = $2', [projectId, userId]);
}
