import type { AccountTokenPurpose } from '../../entities/account.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Links of one purpose that a user gets in an hour; more are not mailed. */
const mostAnHour = 5;

export interface NewAccountToken {
  id: string;
  userId: string;
  purpose: AccountTokenPurpose;
  tokenHash: Buffer;
  minutes: number;
}

/** Remembers a link. @returns false when the user has been mailed so many already that this one is not to be sent */
export async function insertAccountToken(em: Em, token: NewAccountToken): Promise<boolean> {
  const rows = await sql(
    em,
    `insert into account_tokens (id, user_id, purpose, token_hash, expires_at)
     select $1, $2, $3, $4, now() + make_interval(mins => $5)
     where (select count(*) from account_tokens
            where user_id = $2 and purpose = $3 and created_at > now() - interval '1 hour') < ${mostAnHour}
     returning 1`,
    [token.id, token.userId, token.purpose, token.tokenHash, token.minutes],
  );
  return rows.length > 0;
}

/** The user of a link that has neither expired nor been used. */
export async function findTokenUser(
  em: Em,
  purpose: AccountTokenPurpose,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const [row] = await sql<{ userId: string }>(
    em,
    `select user_id as "userId" from account_tokens
     where token_hash = $2 and purpose = $1 and expires_at > now()`,
    [purpose, tokenHash],
  );
  return row?.userId;
}

/**
 * Uses a link up, and with it all links of the same purpose that the user has. Of two calls at once one gets it.
 * @returns undefined when it was used or has expired
 */
export async function takeToken(
  em: Em,
  purpose: AccountTokenPurpose,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const [row] = await sql<{ userId: string }>(
    em,
    `delete from account_tokens where token_hash = $2 and purpose = $1 and expires_at > now()
     returning user_id as "userId"`,
    [purpose, tokenHash],
  );
  if (row !== undefined) {
    await sql(em, 'delete from account_tokens where user_id = $1 and purpose = $2', [row.userId, purpose]);
  }
  return row?.userId;
}
