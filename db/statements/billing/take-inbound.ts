import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Counts an inbound email, in a transaction.
 *
 * @returns false, counting nothing, when it would exceed the monthly limit
 */
export function takeInbound(em: Em, projectId: string): Promise<boolean> {
  return queryValue(em, z.boolean(), `select take_emails($1, 'inbound', 1, null) as taken`, [projectId]);
}
