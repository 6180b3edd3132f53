import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ taken: z.boolean() });

/**
 * Counts an inbound email, in a transaction.
 *
 * @returns false, counting nothing, when it would exceed the monthly limit
 */
export async function takeInbound(em: Em, projectId: string): Promise<boolean> {
  const [answer] = await query(em, row, `select take_emails($1, 'inbound', 1, null) as taken`, [projectId]);
  return answer?.taken === true;
}
