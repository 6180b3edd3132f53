import { openJobStatesSql } from '../../fragments/active-statuses-sql.ts';
import { stopCampaignsSql } from '../../fragments/stop-campaigns-sql.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Records an erasure of a project's data, ends its jobs and campaigns and queues the workflow's command, in a
 * transaction. The database's clock determines which rows are included.
 *
 * @throws pg.DatabaseError `project_erasures_reset` for a reset while another is running
 */
export async function recordErasure(
  em: Em,
  erasure: { id: string; projectId: string; isReset: boolean },
): Promise<void> {
  const sql = 'delete from project_erasures where project_id = $1 and is_reset and erased_at is not null';
  await execute(em, sql, [erasure.projectId]);
  // Before the instant of the erasure is taken: otherwise an import would keep creating contacts after it.
  const endJobsSql = `update jobs set state = 'failed', failed_reason = 'The project was reset', finished_at = now()
     where project_id = $1 and state in ${openJobStatesSql}`;
  await execute(em, endJobsSql, [erasure.projectId]);
  const recordSql = `with ${stopCampaignsSql('project_id = $2')},
     commands as (
       insert into outbox (id, kind, subject_id, project_id)
       select uuidv7(), 'campaign.changed', id, $2 from stopped
       union all
       select uuidv7(), 'project.erase', $1, $2
     )
     insert into project_erasures (id, project_id, is_reset, before) values ($1, $2, $3, clock_timestamp())`;
  await execute(em, recordSql, [erasure.id, erasure.projectId, erasure.isReset]);
}
