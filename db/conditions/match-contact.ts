import { z } from 'zod';
import type { Condition } from '../../core/conditions/condition.ts';
import type { Em } from '../orm.ts';
import { query } from '../sql.ts';
import { conditionAudience } from './audience.ts';
import { bindInto } from './bind.ts';

export async function matchContact(
  em: Em,
  projectId: string,
  contactId: string,
  condition: Condition,
  now: Date,
): Promise<boolean> {
  const audience = await conditionAudience(em, projectId, condition);
  const parameters: unknown[] = [projectId, contactId];
  const where = audience.where(now, bindInto(parameters), 'few');
  const text = `select c.id from contacts c where c.project_id = $1 and c.id = $2 and ${where}`;
  return (await query(em, z.object({ id: z.uuid() }), text, parameters)).length > 0;
}
