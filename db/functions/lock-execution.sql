-- Locks an execution and reads it with its current step run, in one round trip: lock-execution.ts. A function, because only
-- its second statement sees what was committed while the first waited for the lock.
create or replace function lock_execution(wanted uuid) returns table (
  id uuid, project_id uuid, workflow_id uuid, version int, status text, visit int, context jsonb, event jsonb,
  contact_id uuid, event_id uuid, current_step_id uuid, resume_at timestamptz(3), branch text, output jsonb,
  completed_at timestamptz(3), entered_at timestamptz(3), only_once boolean, hops int, paused_visit int,
  called_ms_ago float8
) language plpgsql volatile strict as $$
declare
  cause uuid;
  counted smallint;
  hops_of_cause smallint;
begin
  select x.event_id, x.hops into cause, counted
  from workflow_executions x
  where x.id = wanted
  for no key update;
  if not found then
    return;
  end if;
  if counted is null then
    -- By a variable: a look-up by a column would open each partition.
    select e.hops into hops_of_cause from events e where e.id = cause;
  end if;
  return query
    select x.id, x.project_id, x.workflow_id, x.version, x.status, x.visit, x.context, x.event, c.id, x.event_id,
      x.current_step_id, x.resume_at, r.branch, r.output, r.completed_at, r.started_at, x.only_once,
      coalesce(x.hops, hops_of_cause, 0)::int, x.paused_visit,
      extract(epoch from clock_timestamp() - r.called_at)::float8 * 1000
    from workflow_executions x
    left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
    left join contacts c on c.id = x.contact_id and c.project_id = x.project_id
    where x.id = wanted;
end
$$;
