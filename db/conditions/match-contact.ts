import { z } from 'zod';
import type { Condition } from '../../core/conditions/condition.ts';
import type { Em } from '../orm.ts';
import { bindInto, queryColumn } from '../sql.ts';
import { conditionAudience } from './audience.ts';
import { contactColumnsSql } from './read-data-once.ts';

const contactSql = `select ${contactColumnsSql} from contacts c where c.project_id = $1 and c.id = $2`;

export async function matchContact(
  em: Em,
  projectId: string,
  contactId: string,
  condition: Condition,
  now: Date,
): Promise<boolean> {
  const audience = await conditionAudience(em, projectId, condition);
  const parameters: unknown[] = [projectId, contactId];
  const where = audience.where(now, bindInto(parameters), 'given');
  const text = `select c.id from (${contactSql} offset 0) c where ${where}`;
  return (await queryColumn(em, z.uuid(), text, parameters)).length > 0;
}
