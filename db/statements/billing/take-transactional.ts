import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

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
  const parameters = [wanted.map(({ projectId }) => projectId), wanted.map(({ emails }) => emails)];
  const rows = await query(em, row, sql, parameters);
  const taken = new Map(rows.map(({ ord, takenAt }) => [Number(ord), takenAt]));
  return wanted.map((_, index) => taken.get(index + 1) ?? null);
}
