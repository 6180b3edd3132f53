import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const row = z.object({ own: z.int(), joined: z.int() });

/**
 * Counts the projects of a user: `own` are those that the user created and owns, `joined` those that someone else added
 * the user to. Project and membership of a creator have the same instant: one transaction inserts both.
 */
export function countMemberships(em: Em, userId: string) {
  const sql = `select (count(*) filter (where m.created_at = p.created_at and m.role = 'OWNER'))::int as own,
       (count(*) filter (where m.created_at <> p.created_at))::int as joined
     from memberships m join projects p on p.id = m.project_id
    where m.user_id = $1`;
  return queryRow(em, row, sql, [userId]);
}
