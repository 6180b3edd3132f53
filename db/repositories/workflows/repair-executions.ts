import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** After an outage there may be very many; the next runs take the others. */
const mostReminded = 10_000;

/**
 * Leaves a command for each execution that should have gone on `lateSeconds` ago: whose wait is over, or that stands
 * at no wait. Its workflow was lost, or is late; one that calls the world may take minutes.
 *
 * @returns how many there were
 */
export async function remindLateExecutions(em: Em, lateSeconds: number): Promise<number> {
  const rows = await sql(
    em,
    `with late as (
       select id from workflow_executions where resume_at < now() - make_interval(secs => $1)
       union
       select x.id
       from workflow_executions x
       left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
       where x.status = 'RUNNING' and x.started_at < now() - make_interval(secs => $1)
         and coalesce(r.completed_at, r.started_at, x.started_at) < now() - make_interval(secs => $1)
     )
     insert into outbox (id, kind, subject_id)
     select uuidv7(), 'execution.wake', l.id from late l
     where not exists (select from outbox o where o.subject_id = l.id)
     limit ${mostReminded}
     returning id`,
    [lateSeconds],
  );
  return rows.length;
}

/** Those of the executions that are under way. */
export async function findActiveExecutions(em: Em, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from workflow_executions where id = any($1::uuid[]) and status in ('RUNNING', 'WAITING')`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
