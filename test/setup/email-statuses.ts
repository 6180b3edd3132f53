import type { TestDatabase } from './database.ts';

type Database = Pick<TestDatabase, 'sql'>;

/** Counts emails by status. @param condition SQL on `emails`, with its parameters */
export async function emailStatuses(
  database: Database,
  condition: string,
  ...parameters: unknown[]
): Promise<Record<string, number>> {
  const rows = await database.sql<{ status: string; count: number }>(
    `select status, count(*)::int as count from emails where ${condition} group by status order by status`,
    parameters,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** How many `email.sent` events the journal has, and of how many emails: both must be the number of emails. */
export async function journaledSends(database: Database, projectId: string) {
  const [row] = await database.sql<{ rows: number; emails: number }>(
    `select count(*)::int as rows, count(distinct email_id)::int as emails from events
     where project_id = $1 and name = 'email.sent'`,
    [projectId],
  );
  return row;
}
