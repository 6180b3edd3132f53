import type { UserRow } from '../../entities/user.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

const columns = `id, email, name, password_hash as "passwordHash", email_verified as "emailVerified",
  session_version as "sessionVersion", created_at as "createdAt", updated_at as "updatedAt"`;

/** A user by the normalised address. */
export async function findUserByEmail(em: Em, email: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(em, `select ${columns} from users where email = $1`, [email]);
  return row;
}

/** In a transaction: a user by the normalised address, locked until its end. */
export async function lockUserByEmail(em: Em, email: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(em, `select ${columns} from users where email = $1 for no key update`, [
    email,
  ]);
  return row;
}

/** In a transaction: a user locked until its end. */
export async function lockUser(em: Em, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(em, `select ${columns} from users where id = $1 for no key update`, [id]);
  return row;
}

export async function findUser(em: Em, id: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(em, `select ${columns} from users where id = $1`, [id]);
  return row;
}

export interface NewUser {
  id: string;
  /** Normalised: trimmed and in lower case. */
  email: string;
  name: string | null;
  /** Null for those who sign in with a provider only. */
  passwordHash: string | null;
}

/** Adds a user; undefined when the address is taken. */
export async function insertUser(em: Em, user: NewUser): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(
    em,
    `insert into users (id, email, name, password_hash) values ($1, $2, $3, $4)
     on conflict (email) do nothing returning ${columns}`,
    [user.id, user.email, user.name, user.passwordHash],
  );
  return row;
}

/** The user has proven to have the address. */
export async function markVerified(em: Em, id: string): Promise<void> {
  await sql(
    em,
    'update users set email_verified = true, updated_at = now() where id = $1 and not email_verified',
    [id],
  );
}

/** Sets the password, null for none, and ends every session of the user. */
export async function replacePassword(em: Em, id: string, passwordHash: string | null): Promise<void> {
  await sql(
    em,
    `update users set password_hash = $2, session_version = session_version + 1, updated_at = now() where id = $1`,
    [id, passwordHash],
  );
}
