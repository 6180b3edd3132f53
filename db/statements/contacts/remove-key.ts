import { z } from 'zod';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

export interface ContactPlace {
  createdAt: Date;
  id: string;
}

const lastRow = z.object({ createdAt: z.date(), id: z.uuid(), removed: z.int(), found: z.int() });

/**
 * Removes a key from the next `limit` contacts by creation and updates `updatedAt` of those that had it. The limit
 * counts all contacts, because the planner cannot estimate how many have the key and would scan all contacts in each
 * call.
 */
export async function removeKey(
  em: Em,
  projectId: string,
  key: string,
  after: ContactPlace | undefined,
  limit: number,
) {
  const parameters: unknown[] = [projectId, key, limit];
  if (after !== undefined) parameters.push(after.createdAt, after.id);
  const sql = `with found as materialized (
       select id, created_at, data ? $2::text as has_key from contacts
       where project_id = $1 ${after === undefined ? '' : 'and (created_at, id) > ($4, $5::uuid)'}
       order by created_at, id limit $3
     ),
     locked as materialized (
       -- In the common lock order of contacts, to avoid deadlocks.
       select id from contacts where id in (select id from found where has_key) order by project_id, email
       for no key update
     ),
     written as (
       update contacts c set data = c.data - $2::text, updated_at = ${laterThanSql('now()', 'c.updated_at')}
       from locked l where c.id = l.id and c.data ? $2::text
       returning 1
     )
     select created_at as "createdAt", id, (select count(*)::int from written) as removed,
       (select count(*)::int from found) as found
     from found order by created_at desc, id desc limit 1`;
  const rows = await query(em, lastRow, sql, parameters);
  const [row] = rows;
  if (row === undefined) return { removed: 0, last: undefined };
  const { removed, found, createdAt, id } = row;
  return { removed, last: found < limit ? undefined : { createdAt, id } };
}
