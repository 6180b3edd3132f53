import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** After an outage there may be very many; later runs take the others. */
const mostReminded = 10_000;

/**
 * Leaves a command for executions that should have gone on `lateSeconds` ago or more: whose wait is over, or that stand
 * at no wait. Their workflow was lost, or is late; one that calls the world may take minutes. While workers are behind
 * very many may be late, and reminders would only add to it: each is reminded after once and twice `lateSeconds`, and
 * then once in six times that.
 *
 * @param lateSeconds twice what lies between two calls
 * @returns how many were reminded
 */
export async function remindLateExecutions(em: Em, lateSeconds: number): Promise<number> {
  const rows = await sql(
    em,
    `with late as (
       select id, project_id, resume_at as due_at from workflow_executions where resume_at < now() - make_interval(secs => $1)
       union all
       select x.id, x.project_id, coalesce(r.completed_at, r.started_at, x.started_at)
       from workflow_executions x
       left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
       where x.status = 'RUNNING' and x.started_at < now() - make_interval(secs => $1)
     ),
     lateness as (
       select id, project_id, extract(epoch from now() - due_at)::float8 / $1 as times from late
     )
     insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'execution.wake', l.id, l.project_id from lateness l
     where (floor(l.times * 2) in (2, 4) or floor(l.times * 2)::bigint % 12 = 8)
       and not exists (select from outbox o where o.subject_id = l.id)
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
