import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ taken: z.boolean() });

/**
 * In a transaction: counts an inbound email.
 *
 * @returns false when it would exceed the monthly limit; then nothing is counted
 */
export async function takeInbound(em: Em, projectId: string): Promise<boolean> {
  const [answer] = await query(em, row, `select take_emails($1, 'inbound', 1, null) as taken`, [projectId]);
  return answer?.taken === true;
}
