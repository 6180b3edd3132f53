import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const upcomingRow = z.object({
  type: z.enum(['campaign.scheduled', 'workflow.waiting']),
  id: z.uuid(),
  at: z.date(),
  contactId: z.uuid().nullable(),
  contactEmail: z.string().nullable(),
  name: z.string(),
  workflowId: z.uuid().nullable(),
  stepId: z.uuid().nullable(),
});
export type UpcomingRow = z.output<typeof upcomingRow>;

/** The next scheduled campaigns and waiting executions, soonest first. Unites two index scans, each up to the limit. */
export function listUpcoming(em: Em, projectId: string, limit: number): Promise<UpcomingRow[]> {
  const sql = `select u.type, u.id, u.at, u.contact_id as "contactId", c.email as "contactEmail",
       coalesce(u.name, w.name, '') as name, u.workflow_id as "workflowId", u.step_id as "stepId"
     from (
       (select 'campaign.scheduled' as type, id, scheduled_for as at, null::uuid as contact_id, name,
          null::uuid as workflow_id, null::uuid as step_id
        from campaigns
        where project_id = $1 and status = 'SCHEDULED'
        order by scheduled_for, id
        limit $2)
       union all
       (select 'workflow.waiting', id, resume_at, contact_id, null, workflow_id, current_step_id
        from workflow_executions
        where project_id = $1 and resume_at is not null
        order by resume_at, id
        limit $2)
     ) u
     left join workflows w on w.id = u.workflow_id
     left join contacts c on c.project_id = $1 and c.id = u.contact_id
     order by u.at, u.id
     limit $2`;
  return query(em, upcomingRow, sql, [projectId, limit]);
}
