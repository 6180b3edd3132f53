import { z } from 'zod';
import { countUsageSql } from '../../fragments/count-usage-sql.ts';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, query, queryValue } from '../../sql.ts';

const row = z.object({ ord: z.string(), takenAt: z.date().nullable() });

export interface WantedEmails {
  projectId: string;
  emails: number;
}

/**
 * Counts transactional emails before they are queued. A project's items are counted together if they fit its limit;
 * otherwise one by one, in order. One statement serves many projects and holds its locks only while it runs.
 *
 * @returns for each item, when it was counted; null when it may not be queued
 */
export async function takeTransactional(em: Em, wanted: readonly WantedEmails[]): Promise<(Date | null)[]> {
  const sql = `with item as materialized (
       select * from unnest($1::uuid[], $2::int[]) with ordinality as t (project_id, emails, ord)
     ),
     together as materialized (
       select project_id, take_emails(project_id, 'transactional', emails, null) as taken
       from (select project_id, sum(emails)::int as emails from item group by project_id order by project_id) p
     )
     select ord, case
         when case when taken then true else take_emails(project_id, 'transactional', emails, null) end then now()
       end as "takenAt"
     from (select * from item join together using (project_id) order by project_id, ord offset 0) each`;
  const rows = await query(em, row, sql, columnsOf(wanted, 'projectId', 'emails'));
  const taken = new Map(rows.map(({ ord, takenAt }) => [Number(ord), takenAt]));
  return wanted.map((_, index) => taken.get(index + 1) ?? null);
}

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

/**
 * Counts an inbound email, in a transaction.
 *
 * @returns false, counting nothing, when it would exceed the monthly limit
 */
export function takeInbound(em: Em, projectId: string): Promise<boolean> {
  return queryValue(em, z.boolean(), `select take_emails($1, 'inbound', 1, null) as taken`, [projectId]);
}
