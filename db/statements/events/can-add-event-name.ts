import { z } from 'zod';
import { mostProjectNames } from '../../../core/project-limits.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Whether the project tracks this name or has capacity for one more. One query per request, so that a flood of new
 * names stays cheap.
 */
export function canAddEventName(em: Em, projectId: string, name: string): Promise<boolean> {
  const sql = `select exists (select from event_names where project_id = $1 and name = $2)
       or (select count(*) from event_names where project_id = $1) < $3 as "canAdd"`;
  return queryValue(em, z.boolean(), sql, [projectId, name, mostProjectNames]);
}
