import { z } from 'zod';
import type { Audience } from '../../conditions/audience.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { Em } from '../../orm.ts';

// A statement, because the condition is compiled to SQL.
export async function countAudience(em: Em, projectId: string, audience: Audience): Promise<number> {
  const parameters: unknown[] = [projectId];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const sql = `select count(*)::int as count from contacts c where c.project_id = $1 and ${where}`;
  const [row] = await audienceQuery(em, 'all', z.object({ count: z.number().int() }), sql, parameters);
  return row?.count ?? 0;
}
