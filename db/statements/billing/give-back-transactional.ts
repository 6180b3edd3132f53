import { countUsageSql } from '../../fragments/count-usage-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { WantedEmails } from './take-transactional.ts';

export interface TakenEmails extends WantedEmails {
  takenAt: Date;
}

// A statement, because usage is counted in lanes.
/** Subtracts emails from the usage of the month in which they were counted. */
export async function giveBackTransactional(
  em: Em,
  { projectId, emails, takenAt }: TakenEmails,
): Promise<void> {
  const taken = 'select $1::uuid as project_id, $2::timestamptz as at, $3::int as emails';
  await execute(em, countUsageSql('transactional', taken), [projectId, takenAt, -emails]);
}
