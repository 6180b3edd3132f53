import { z } from 'zod';
import type { Lane } from '../../../core/outbox-lanes.ts';
import { isDueSql, laneSql } from '../../fragments/lanes.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';

const turnRow = z.object({
  /** The zero UUID stands for commands without a project. */
  projectId: z.uuid(),
  isDue: z.boolean(),
});
export type ProjectTurn = z.output<typeof turnRow>;

/**
 * The next `limit` projects of a lane by id, and whether each has a due command. Skips from project to project in the
 * index, so the cost does not grow with their commands.
 *
 * @param after last project of the previous page; null starts from the beginning
 */
export function findProjectTurns(
  em: Em,
  lane: Lane,
  after: string | null,
  limit: number,
): Promise<ProjectTurn[]> {
  const nextSql = (condition: string) =>
    `select o.project_id from outbox o where ${laneSql[lane]} and ${condition} order by o.project_id limit 1`;
  const sql = `with recursive project (id) as (
       (${nextSql(after === null ? 'true' : 'o.project_id > $2')})
       union all
       select (${nextSql('o.project_id > p.id')}) from project p where p.id is not null
     )
     select p.id as "projectId", coalesce(due.is_due, false) as "isDue"
     from project p
     left join lateral (
       select true as is_due from outbox o
       where ${laneSql[lane]} and o.project_id = p.id and ${isDueSql}
       order by o.next_attempt_at limit 1
     ) due on true
     where p.id is not null
     limit $1`;
  const name = `find_project_turns_${lane}_${after === null ? 'first' : 'next'}`;
  return preparedQuery(em, name, turnRow, sql, after === null ? [limit] : [limit, after]);
}
