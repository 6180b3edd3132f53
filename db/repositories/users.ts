import type { UserRow } from '../entities/user.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

const columns = `id, email, name, password_hash as "passwordHash", email_verified as "emailVerified",
  session_version as "sessionVersion", created_at as "createdAt", updated_at as "updatedAt"`;

/** A user by the normalised address. */
export async function findUserByEmail(em: Em, email: string): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow>(em, `select ${columns} from users where email = $1`, [email]);
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
  passwordHash: string;
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
