import type { UserRow } from '../../entities/user.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { acceptInvitations } from './invitations.ts';
import { forgetSources } from './sign-ins.ts';
import { markVerified, replacePassword } from './users.ts';

/**
 * In a transaction with the user locked: the user has proven to have the address, and takes the places that wait for it.
 *
 * @param user as read under the lock
 * @param takeOver given unless whoever signed up is known to be the one who proves the address: the password becomes
 * this one (null for none), and sessions, mailed links, known devices and, on the first proof, identities end, because somebody else
 * may have made them
 */
export async function proveAddress(
  em: Em,
  user: Pick<UserRow, 'id' | 'email' | 'emailVerified'>,
  takeOver?: { passwordHash: string | null },
): Promise<void> {
  if (takeOver !== undefined) {
    await replacePassword(em, user.id, takeOver.passwordHash);
    await sql(em, 'delete from account_tokens where user_id = $1', [user.id]);
    await forgetSources(em, user.id);
    if (!user.emailVerified) await sql(em, 'delete from oauth_identities where user_id = $1', [user.id]);
  }
  await markVerified(em, user.id);
  await acceptInvitations(em, user.id, user.email);
}
