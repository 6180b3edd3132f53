import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const erasureRow = z.object({ contactId: z.uuid(), projectId: z.uuid(), passedAt: z.date().nullable() });

export type DueErasure = z.output<typeof erasureRow>;

/**
 * Up to `limit` erasures that have not passed, or passed before `passedBefore`. Projects take turns, so that one that
 * deletes many contacts does not hold up the others; the oldest of a project come first.
 */
export function findErasures(em: Em, passedBefore: Date, limit: number): Promise<DueErasure[]> {
  const sql = `select contact_id as "contactId", project_id as "projectId", passed_at as "passedAt"
     from (
       select *, row_number() over (partition by project_id order by erased_at) as turn
       from contact_erasures
       where passed_at is null or passed_at < $1
     ) e
     where turn <= $2
     order by turn, erased_at
     limit $2`;
  return query(em, erasureRow, sql, [passedBefore, limit]);
}
