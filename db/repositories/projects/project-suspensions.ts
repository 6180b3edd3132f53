import type { EmailFigures } from '../../../core/project-security.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface SuspensionRecord extends EmailFigures {
  id: string;
  reason: string;
  createdAt: Date;
}

/** The latest suspensions of a project, newest first. */
export function listSuspensions(em: Em, projectId: string, limit: number): Promise<SuspensionRecord[]> {
  return sql(
    em,
    `select id, reason, sent, bounced, complained, created_at as "createdAt"
     from project_suspensions where project_id = $1 order by created_at desc, id desc limit $2`,
    [projectId, limit],
  );
}

/**
 * Disables a project and remembers why; every process hears of it. Does nothing to one that is disabled already.
 * @returns whether it was done
 */
export async function suspendProject(
  em: Em,
  suspension: EmailFigures & { id: string; projectId: string; reason: string },
): Promise<boolean> {
  const { id, projectId, reason, sent, bounced, complained } = suspension;
  const rows = await sql(
    em,
    `with disabled as (
       update projects set disabled = true, disabled_reason = $3, updated_at = now()
       where id = $2 and not disabled
       returning id
     ),
     remembered as (
       insert into project_suspensions (id, project_id, reason, sent, bounced, complained)
       select $1, id, $3, $4, $5, $6 from disabled
     )
     select pg_notify('project_changed', id::text) from disabled`,
    [id, projectId, reason, sent, bounced, complained],
  );
  return rows.length > 0;
}
