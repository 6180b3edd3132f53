-- What was committed by now, together with what the transaction itself has written: what is not visible in it was
-- accepted later, whatever the clocks of those who wrote it say.
create function accepted_by_now() returns pg_snapshot language sql volatile as $$
  select case
    when own < xmax then now
    else (xmin || ':' || own + 1 || ':' || (
      select coalesce(string_agg(id::text, ',' order by id), '')
      from (
        select xip::text::bigint from pg_snapshot_xip(now) xip
        union all
        -- Nobody knows yet what became of those.
        select generate_series(xmax, own - 1)
      ) open (id)))::pg_snapshot
  end
  from pg_current_snapshot() now
  cross join lateral (
    select pg_snapshot_xmin(now)::text::bigint, pg_snapshot_xmax(now)::text::bigint,
      pg_current_xact_id()::text::bigint
  ) bounds (xmin, xmax, own)
$$;

create table workflows (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  enabled boolean not null default false,
  event_name text not null,
  allow_reentry boolean not null default false,
  version int not null default 1,
  live_version int,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflows_project on workflows (project_id, created_at, id);

create table workflow_steps (
  id uuid not null,
  workflow_id uuid not null,
  type text not null,
  name text not null,
  position jsonb,
  config jsonb not null default '{}',
  template_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflow_steps_workflow on workflow_steps (workflow_id);
create index workflow_steps_template on workflow_steps (template_id) where template_id is not null;

create table workflow_transitions (
  id uuid not null,
  workflow_id uuid not null,
  from_step_id uuid not null,
  to_step_id uuid not null,
  branch text,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflow_transitions_workflow on workflow_transitions (workflow_id);
create unique index workflow_transitions_from on workflow_transitions (from_step_id, coalesce(branch, ''));

create table workflow_versions (
  workflow_id uuid not null,
  version int not null,
  graph jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (workflow_id, version)
);

create table workflow_executions (
  id uuid not null,
  project_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  contact_id uuid,
  status text not null default 'RUNNING',
  only_once boolean not null,
  event_id uuid,
  current_step_id uuid,
  visit int not null default 0,
  resume_at timestamptz(3),
  context jsonb not null default '{}',
  event jsonb not null default '{}',
  exit_reason text,
  error text,
  started_at timestamptz(3) not null default now(),
  started_after pg_snapshot not null default accepted_by_now(),
  completed_at timestamptz(3),
  primary key (id)
);
create index workflow_executions_workflow on workflow_executions (workflow_id, started_at, id);
create index workflow_executions_status on workflow_executions (workflow_id, status, started_at, id);
create index workflow_executions_contact on workflow_executions (contact_id, workflow_id);
create unique index workflow_executions_active on workflow_executions (workflow_id, contact_id)
  where status in ('RUNNING', 'WAITING');
create unique index workflow_executions_once on workflow_executions (workflow_id, contact_id) where only_once;
create index workflow_executions_upcoming on workflow_executions (project_id, resume_at)
  where resume_at is not null;
-- For the sweep that finds what should have gone on.
create index workflow_executions_due on workflow_executions (resume_at) where resume_at is not null;
create index workflow_executions_running on workflow_executions (started_at) where status = 'RUNNING';
alter table workflow_executions add constraint workflow_executions_status_check
  check (status in ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'));

create table workflow_step_runs (
  execution_id uuid not null,
  visit int not null,
  step_id uuid not null,
  branch text,
  output jsonb,
  error text,
  called_at timestamptz(3),
  started_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  ended_after pg_snapshot,
  primary key (execution_id, visit)
);

create table event_listeners (
  project_id uuid not null,
  event_name text not null,
  contact_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  execution_id uuid,
  visit int,
  primary key (project_id, event_name, contact_id, id)
);
create index event_listeners_workflow on event_listeners (workflow_id);
create index event_listeners_execution on event_listeners (execution_id) where execution_id is not null;

-- What listens to the events that the calling statement has just written: starts executions of workflows and ends
-- waits, each exactly once, and answers the commands for Temporal. As a volatile function it sees what was committed
-- up to its call. The caller holds the events' rows of contact_event_stats by then; who begins to wait takes that row
-- after adding its listener and looks for events afterwards, so one of the two sees the other.
create function hear_events(event_ids uuid[], projects uuid[], names text[], contacts uuid[])
  returns table (kind text, subject_id uuid) language plpgsql strict
  -- One plan for all calls, by index whatever the statistics say: planning costs more than running it.
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  heard uuid[];
  listeners uuid[];
  started uuid[];
  woken uuid[];
  -- What becomes of an email without anybody doing anything.
  automatic constant text[] := array['email.sent', 'email.delivery', 'email.bounce', 'email.complaint'];
begin
  select array_agg(e.id), array_agg(l.id) into heard, listeners
  from unnest(event_ids, projects, names, contacts) as e (id, project_id, name, contact_id)
  cross join lateral (
    select id from event_listeners l
    where l.project_id = e.project_id and l.event_name = e.name
      and l.contact_id in ('00000000-0000-0000-0000-000000000000', e.contact_id)
    offset 0
  ) l;
  if heard is null then
    return;
  end if;

  with entering as materialized (
    select distinct on (h.listener, e.contact_id) h.listener as workflow_id, e.contact_id, e.id as event_id, e.data
    from unnest(heard, listeners) as h (event_id, listener)
    join events e on e.id = h.event_id
    -- Otherwise emails would follow from each other without an end: nothing that becomes of a workflow's email starts
    -- that workflow, and nothing automatic starts any when the workflow itself begins with something automatic.
    where not exists (
      select from workflows sender
      where sender.id = e.workflow_id
        and (sender.id = h.listener or (e.name = any(automatic) and sender.event_name = any(automatic)))
    )
    order by h.listener, e.contact_id, e.occurred_at, e.id
  ),
  workflow as materialized (
    -- Keeps the workflow from being deleted meanwhile.
    select w.id, w.project_id, w.name, w.live_version, w.allow_reentry
    from workflows w
    where w.id in (select workflow_id from entering) and w.enabled and w.live_version is not null
    order by w.id
    for key share
  ),
  execution as (
    insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once, event_id, event,
      started_at)
    select uuidv7(), w.project_id, w.id, w.live_version, e.contact_id, not w.allow_reentry, e.event_id, e.data,
      clock_timestamp()
    from entering e
    join workflow w on w.id = e.workflow_id
    where w.allow_reentry or not exists (
      select from workflow_executions x where x.contact_id = e.contact_id and x.workflow_id = w.id)
    order by w.id, e.contact_id
    on conflict do nothing
    returning id, project_id, workflow_id, contact_id
  ),
  journaled as (
    insert into events (id, project_id, name, kind, contact_id, workflow_id, data, occurred_at)
    select uuidv7(), x.project_id, 'workflow.started', 'activity', x.contact_id, x.workflow_id,
      jsonb_build_object('workflowId', w.id, 'workflowName', w.name, 'executionId', x.id), clock_timestamp()
    from execution x
    join workflow w on w.id = x.workflow_id
  )
  select array_agg(id) into started from execution;

  with waiting as materialized (
    select l.project_id, l.event_name, l.contact_id, l.id, l.execution_id, l.visit
    from event_listeners l
    join unnest(heard, listeners) as h (event_id, listener) on h.listener = l.execution_id
    join events e on e.id = h.event_id and e.project_id = l.project_id and e.name = l.event_name
      and e.contact_id = l.contact_id
    order by l.id
    for update of l
  ),
  removed as (
    delete from event_listeners l
    using waiting w
    where l.project_id = w.project_id and l.event_name = w.event_name and l.contact_id = w.contact_id and l.id = w.id
    returning l.execution_id, l.visit, l.project_id, l.event_name, l.contact_id
  ),
  ended as (
    update workflow_step_runs r
    set branch = 'event', completed_at = clock_timestamp(), ended_after = accepted_by_now(), output = (
      select jsonb_build_object('eventId', e.id, 'eventName', e.name, 'data', e.data)
      from unnest(heard, listeners) as h (event_id, listener)
      join events e on e.id = h.event_id
      where h.listener = d.execution_id
      order by e.occurred_at, e.id
      limit 1)
    from removed d
    where r.execution_id = d.execution_id and r.visit = d.visit and r.completed_at is null
    returning r.execution_id
  )
  select array_agg(execution_id) into woken from ended;

  if started is null and woken is null then
    return;
  end if;
  perform pg_notify('commands_left', '');
  return query
    select 'execution.start', id from unnest(started) id
    union all
    select 'execution.wake', id from unnest(woken) id;
end
$$;

alter table projects add column webhook_secret_encrypted bytea,
  add column webhook_secret_previous_encrypted bytea,
  add column webhook_secret_previous_until timestamptz(3);

-- Of an execution whose contact is being erased: the workflow in Temporal is named after both.
alter table outbox add column contact_id uuid;
