import type { Role } from '../../entities/membership.ts';
import type { ProjectRow } from '../../entities/project.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A project as one of its members sees it. */
export interface MemberProjectRow extends ProjectRow {
  role: Role;
}

/** The keys of a project as they are stored. */
export interface StoredKeys {
  publicKeyHash: Buffer;
  secretKeyHash: Buffer;
  publicKeyEncrypted: Buffer;
  secretKeyEncrypted: Buffer;
}

const columns = `p.id, p.name, p.public_key_hash as "publicKeyHash", p.secret_key_hash as "secretKeyHash",
  p.public_key_encrypted as "publicKeyEncrypted", p.secret_key_encrypted as "secretKeyEncrypted",
  p.disabled, p.disabled_reason as "disabledReason", p.suppress_transactional as "suppressTransactional",
  p.brand_color as "brandColor", p.created_at as "createdAt", p.updated_at as "updatedAt", m.role`;

/** The projects that a user is a member of, oldest first. */
export function listProjectsOfUser(em: Em, userId: string): Promise<MemberProjectRow[]> {
  return sql(
    em,
    `select ${columns} from memberships m join projects p on p.id = m.project_id
      where m.user_id = $1 order by p.id`,
    [userId],
  );
}

/** A project that the user is a member of. */
export async function findProjectOfUser(
  em: Em,
  userId: string,
  projectId: string,
): Promise<MemberProjectRow | undefined> {
  const [row] = await sql<MemberProjectRow>(
    em,
    `select ${columns} from memberships m join projects p on p.id = m.project_id
      where m.user_id = $1 and p.id = $2`,
    [userId, projectId],
  );
  return row;
}

/** Adds a project and its owner. */
export async function insertProject(
  em: Em,
  project: { id: string; name: string; ownerId: string; keys: StoredKeys },
): Promise<MemberProjectRow | undefined> {
  const { keys } = project;
  const [row] = await sql<MemberProjectRow>(
    em,
    `with p as (
       insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
       values ($1, $2, $3, $4, $5, $6) returning *),
     m as (
       insert into memberships (project_id, user_id, role) select id, $7, 'OWNER' from p returning *)
     select ${columns} from p join m on m.project_id = p.id`,
    [
      project.id,
      project.name,
      keys.publicKeyHash,
      keys.secretKeyHash,
      keys.publicKeyEncrypted,
      keys.secretKeyEncrypted,
      project.ownerId,
    ],
  );
  return row;
}

/** Replaces both keys; every process drops what it knows of the project as soon as this is committed. */
export async function replaceKeys(em: Em, projectId: string, keys: StoredKeys): Promise<void> {
  await sql(
    em,
    `with changed as (
       update projects set public_key_hash = $2, secret_key_hash = $3, public_key_encrypted = $4,
         secret_key_encrypted = $5, updated_at = now()
        where id = $1 returning id)
     select pg_notify('project_changed', id::text) from changed`,
    [projectId, keys.publicKeyHash, keys.secretKeyHash, keys.publicKeyEncrypted, keys.secretKeyEncrypted],
  );
}
