import { z } from 'zod';
import type { JsonValue } from '../../../core/json-value.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * The value that some contact has under the key. Locks that contact until the transaction ends, so that the key cannot
 * be removed before its type is recorded.
 *
 * @returns undefined when no contact has the key
 */
export async function lockValueOfKey(em: Em, projectId: string, key: string): Promise<JsonValue | undefined> {
  const sql = `select data -> $2::text as value from contacts
     where project_id = $1 and data -> $2::text <> 'null' limit 1 for share`;
  const [row] = await query(em, z.object({ value: z.json() }), sql, [projectId, key]);
  return row?.value;
}
