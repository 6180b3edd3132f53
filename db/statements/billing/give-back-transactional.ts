import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { WantedEmails } from './take-transactional.ts';

// A statement, because all statements count emails through this function.
export async function giveBackTransactional(em: Em, { projectId, emails }: WantedEmails): Promise<void> {
  await execute(em, `select count_emails($1, 'transactional', $2)`, [projectId, -emails]);
}
