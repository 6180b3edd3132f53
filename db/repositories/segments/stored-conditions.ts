import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Something of a project that is defined by a condition tree. */
export interface ConditionHolder {
  id: string;
  name: string;
  kind: 'segment' | 'campaign';
  /** As it was sent. */
  condition: Record<string, unknown>;
}

/** Every condition that the project keeps, newest first by kind. */
export function listStoredConditions(em: Em, projectId: string): Promise<ConditionHolder[]> {
  return sql(
    em,
    `select id, name, 'segment' as kind, condition, created_at from segments
     where project_id = $1 and condition is not null
     union all
     select id, name, 'campaign', audience_condition, created_at from campaigns
     where project_id = $1 and audience_condition is not null
     order by kind, created_at desc, id desc`,
    [projectId],
  );
}
