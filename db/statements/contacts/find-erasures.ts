import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const erasureRow = z.object({ contactId: z.uuid(), projectId: z.uuid(), passedAt: z.date().nullable() });

export type DueErasure = z.output<typeof erasureRow>;

/** What is next in a pass: the part in Postgres, then the part in ClickHouse. */
export type ErasurePart = 'postgres' | 'clickhouse';

const isNextSql: Record<ErasurePart, string> = {
  postgres: 'cleared_at is null',
  clickhouse: 'cleared_at is not null',
};

/**
 * Up to `limit` erasures whose next part is this one and that have not passed, or passed before `passedBefore`. Projects
 * share the limit, so that one that deletes many contacts does not hold up the others; the oldest of a project come
 * first. Skips from project to project in an index, so the cost does not grow with the erasures that wait.
 */
export function findErasures(
  em: Em,
  part: ErasurePart,
  passedBefore: Date,
  limit: number,
): Promise<DueErasure[]> {
  const isDueSql = `${isNextSql[part]} and (passed_at is null or passed_at < $1)`;
  const projectSql = (condition: string) =>
    `select project_id from contact_erasures where ${isDueSql} and ${condition} order by project_id limit 1`;
  return query(
    em,
    erasureRow,
    `with recursive project (id) as (
       (${projectSql('true')})
       union all
       select (${projectSql('project_id > p.id')}) from project p where p.id is not null
     )
     select e.contact_id as "contactId", e.project_id as "projectId", e.passed_at as "passedAt"
     from project p
     cross join lateral (
       select contact_id, project_id, passed_at from contact_erasures
       where project_id = p.id and ${isDueSql}
       order by erased_at
       limit greatest(1, $2::int / (select count(id) from project))
     ) e
     limit $2::int`,
    [passedBefore, limit],
  );
}
