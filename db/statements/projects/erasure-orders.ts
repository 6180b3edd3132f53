import { z } from 'zod';
import { openJobStatesSql } from '../../fragments/active-statuses-sql.ts';
import { stopCampaignsSql } from '../../fragments/stop-campaigns-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, queryFirst } from '../../sql.ts';

const row = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  isProjectGone: z.boolean(),
  /** Rows created later are kept; the current time if the project itself was deleted. */
  until: z.date(),
});

export type ErasureOrder = z.output<typeof row>;

/** An open erasure. A statement, because `until` comes from the database's clock, which also dates the rows. */
export function findErasure(em: Em, id: string): Promise<ErasureOrder | undefined> {
  const sql = `select e.id, e.project_id as "projectId", p.id is null as "isProjectGone",
       case when p.id is null then clock_timestamp() else e.before end as until
     from project_erasures e left join projects p on p.id = e.project_id
     where e.id = $1`;
  return queryFirst(em, row, sql, [id]);
}

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

/**
 * Deletes the record of an erasure that is complete in all stores, and its journal row. The last reset of an existing
 * project stays.
 */
export async function closeErasure(em: Em, id: string): Promise<void> {
  const sql = `with marker as (delete from events where id = $1),
     closed as (select project_id from project_erasures where id = $1)
     delete from project_erasures e using closed
     where e.project_id = closed.project_id and (e.id = $1 or e.is_reset)
       and not exists (select from projects p where p.id = e.project_id)`;
  await execute(em, sql, [id]);
}
