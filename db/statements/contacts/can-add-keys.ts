import { z } from 'zod';
import { mostProjectNames } from '../../../core/project-limits.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Whether the project already has these `data` keys or has capacity for the new ones. One query per request, so that
 * a flood of new keys stays cheap.
 *
 * @param keys distinct
 */
export function canAddKeys(em: Em, projectId: string, keys: readonly string[]): Promise<boolean> {
  const sql = `with missing as (
       select count(*) as count from unnest($2::text[]) as t(key)
       where not exists (select from contact_fields f where f.project_id = $1 and f.key = t.key)
     )
     select missing.count = 0
       or missing.count + (select count(*) from contact_fields where project_id = $1) <= $3 as "canAdd"
     from missing`;
  return queryValue(em, z.boolean(), sql, [projectId, keys, mostProjectNames]);
}
