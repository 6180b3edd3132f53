import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * Contacts whose address starts with a text in lower case, through the index on addresses. Where the database does not
 * sort by code point it may miss some that continue with another script.
 */
export async function findByAddressStart(
  em: Em,
  projectId: string,
  start: string,
  limit: number,
): Promise<string[]> {
  const rows = await query(
    em,
    z.object({ id: z.uuid() }),
    `select id from contacts
     where project_id = $1 and email >= $2 and email < $2 || chr(1114111) and starts_with(email, $2)
     limit $3`,
    [projectId, start, limit],
  );
  return rows.map(({ id }) => id);
}
