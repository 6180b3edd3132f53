import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * Names of events that the project's contacts have had, in order. Skips from name to name in the primary key instead of
 * reading every row.
 */
export async function listHistoryNames(em: Em, projectId: string, limit: number): Promise<string[]> {
  const sql = `with recursive listed (name) as (
       (select name from contact_event_stats where project_id = $1 order by name limit 1)
       union all
       select (select s.name from contact_event_stats s where s.project_id = $1 and s.name > l.name
         order by s.name limit 1)
       from listed l where l.name is not null
     )
     select name from listed where name is not null limit $2`;
  const rows = await query(em, z.object({ name: z.string() }), sql, [projectId, limit]);
  return rows.map(({ name }) => name);
}
