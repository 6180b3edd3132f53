import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

const maxSignals = 10_000;

/**
 * Wakes executions that are at least `lateSeconds` late: their wait is over, or they are running without a wait.
 * Temporal lost their workflow run, or it is slow (a call may take minutes). To avoid adding to an overload, each
 * execution is signaled after one and two times `lateSeconds`, and then once per six times.
 *
 * @param lateSeconds twice the interval between two calls
 * @returns the number of signals
 */
export function signalLateExecutions(em: Em, lateSeconds: number): Promise<number> {
  const sql = `with late as (
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
     limit ${maxSignals}`;
  return execute(em, sql, [lateSeconds]);
}
