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

/**
 * Whether every transaction that was open at `instant` has ended. New transactions then see everything committed up to
 * that instant, including rows written by concurrent transactions that did not see the change.
 */
export async function haveTransactionsEnded(em: Em, instant: Date): Promise<boolean> {
  const sql = `select 1 from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and xact_start <= $1
     limit 1`;
  const [open] = await query(em, z.unknown(), sql, [instant]);
  return open === undefined;
}
