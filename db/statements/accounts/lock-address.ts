import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Until the transaction ends, no other one invites this address or creates a verified account for it. An advisory lock,
 * because the account may not exist yet. Take it before the user's lock.
 */
export async function lockAddress(em: Em, email: string): Promise<void> {
  await execute(em, `select pg_advisory_xact_lock(hashtextextended('account ' || $1, 0))`, [email]);
}
