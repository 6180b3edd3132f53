import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

const row = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  isProjectGone: z.boolean(),
  /** Rows created later are kept; the current time if the project itself was deleted. */
  until: z.date(),
});

export type ErasureOrder = z.output<typeof row>;

/** An open erasure. A statement, because `until` comes from the database's clock, which also dates the rows. */
export function findErasure(em: Em, id: string): Promise<ErasureOrder | undefined> {
  const sql = `select e.id, e.project_id as "projectId", p.id is null as "isProjectGone",
       case when p.id is null then clock_timestamp() else e.before end as until
     from project_erasures e left join projects p on p.id = e.project_id
     where e.id = $1`;
  return queryFirst(em, row, sql, [id]);
}
