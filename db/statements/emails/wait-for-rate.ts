import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/** More older emails than this are not counted. */
export const mostCounted = 10_000;

const olderRow = z.object({ projectId: z.uuid(), older: z.int() });

/**
 * Records that these emails are held back by the send rate, until they are claimed.
 *
 * @returns per project, how many waiting emails are older than these, at most 10,000
 */
export async function waitForRate(
  em: Em,
  emails: readonly { id: string; projectId: string }[],
): Promise<Map<string, number>> {
  const sql = `with held as materialized (
       select * from unnest($1::uuid[], $2::uuid[]) as t(project_id, email_id)
     ),
     noted as (
       insert into waiting_emails (project_id, email_id)
       select project_id, email_id from held order by project_id, email_id
       on conflict (project_id, email_id) do update set seen_at = now()
     )
     select h.project_id as "projectId", (
         select count(*)::int from (
           select from waiting_emails w where w.project_id = h.project_id and w.email_id < h.first limit $3
         ) older
       ) as older
     from (select project_id, (array_agg(email_id order by email_id))[1] as first from held group by project_id) h`;
  const parameters = [emails.map(({ projectId }) => projectId), emails.map(({ id }) => id), mostCounted];
  const rows = await query(em, olderRow, sql, parameters);
  return new Map(rows.map(({ projectId, older }) => [projectId, older]));
}
