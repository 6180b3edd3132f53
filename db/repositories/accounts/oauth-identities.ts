import type { OAuthProviderName } from '../../entities/account.ts';
import type { UserRow } from '../../entities/user.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { findUser } from './users.ts';

/** The user of an account at a provider. */
export async function findUserByIdentity(
  em: Em,
  provider: OAuthProviderName,
  subject: string,
): Promise<UserRow | undefined> {
  const [row] = await sql<{ userId: string }>(
    em,
    'select user_id as "userId" from oauth_identities where provider = $1 and subject = $2',
    [provider, subject],
  );
  return row && findUser(em, row.userId);
}

export async function linkIdentity(
  em: Em,
  identity: { provider: OAuthProviderName; subject: string; userId: string },
): Promise<void> {
  await sql(em, 'insert into oauth_identities (provider, subject, user_id) values ($1, $2, $3)', [
    identity.provider,
    identity.subject,
    identity.userId,
  ]);
}
