import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * The email to this contact that a received email replies to.
 *
 * @param providerIds most likely match first
 */
export async function findAnsweredEmail(
  em: Em,
  contactId: string,
  providerIds: readonly string[],
): Promise<string | null> {
  if (providerIds.length === 0) return null;
  const sql = `select id from emails where contact_id = $1 and message_id = any($2::text[])
     order by array_position($2::text[], message_id), id desc limit 1`;
  const [row] = await query(em, z.object({ id: z.uuid() }), sql, [contactId, providerIds]);
  return row?.id ?? null;
}
