import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { WantedEmails } from './take-transactional.ts';

// A statement, because the count goes through the function that all statements count emails with.
export async function giveBackTransactional(em: Em, { projectId, emails }: WantedEmails): Promise<void> {
  await execute(em, `select count_emails($1, 'transactional', $2)`, [projectId, -emails]);
}
