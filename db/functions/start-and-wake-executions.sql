-- Matches the events that the calling statement has just written with event_listeners: starts executions of workflows and
-- ends waits of executions, each exactly once. Returns the outbox commands for Temporal, which the caller inserts.
--
-- No event is missed. The function is volatile, so it sees what was committed before its call, and the caller has locked
-- the events' rows of contact_event_stats by then. A step that begins to wait adds its listener, locks the same row, and
-- then looks for events: one of the two sees the other.
create or replace function start_and_wake_executions(event_ids uuid[], projects uuid[], names text[], contacts uuid[])
  returns table (kind text, subject_id uuid, of_project uuid) language plpgsql strict
  -- One plan for all calls, by index whatever the statistics say: planning costs more than running.
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  -- Pairs of an event and what listens to it: the id of a workflow or of an execution.
  matched uuid[];
  listeners uuid[];
  matched_in uuid[];
  -- Of a project, and of all together.
  most int[] := string_to_array(nullif(current_setting('posthaste.most_matches', true), ''), ' ');
  started uuid[];
  started_in uuid[];
  woken uuid[];
  woken_in uuid[];
  -- Bounds of the events: comparisons with values leave out the other partitions of a plan before it starts.
  sorted uuid[];
  lowest uuid;
  highest uuid;
  are_read boolean;
  have_listeners boolean;
  -- Events of an email that happen without a person's action.
  automatic constant text[] := array['email.sent', 'email.delivery', 'email.bounce', 'email.complaint'];
begin
  -- Nothing reads or listens for most names: a look-up for each name then spares those for each event.
  select bool_or(n.is_read), bool_or(n.has_listener) into are_read, have_listeners
  from (
    select
      exists (
        select from segment_inputs i where i.project_id = e.project_id and i.input = left('event.' || e.name, 200) offset 0
      ) as is_read,
      exists (
        select from event_listeners l where l.project_id = e.project_id and l.event_name = e.name offset 0
      ) as has_listener
    from (select distinct project_id, name from unnest(projects, names) as e (project_id, name)) e
  ) n;
  if are_read then
    sorted := array_sort(event_ids);
    lowest := sorted[1];
    highest := sorted[cardinality(sorted)];
    -- The same events, for the segments that read them: as record_segment_changes, with their hops. They are looked up for a
    -- name that is read, and for no other.
    insert into segment_changes (project_id, input, contact_ids, hops)
    select e.project_id, left('event.' || e.name, 200), array_agg(written.contact_id), nullif(written.hops, 0)
    from (
      select project_id, name, array_agg(id) as ids
      from unnest(event_ids, projects, names) as e (id, project_id, name)
      group by project_id, name
    ) e
    cross join lateral unnest(e.ids) as u (id)
    cross join lateral (
      select w.contact_id, w.hops from events w where w.id = u.id and w.id between lowest and highest offset 0
    ) written
    where exists (
      select from segment_inputs i where i.project_id = e.project_id and i.input = left('event.' || e.name, 200) offset 0)
    group by e.project_id, e.name, written.hops;
  end if;
  if not have_listeners then
    return;
  end if;

  select array_agg(e.id), array_agg(l.id), array_agg(e.project_id) into matched, listeners, matched_in
  from unnest(event_ids, projects, names, contacts) as e (id, project_id, name, contact_id)
  cross join lateral (
    select id from event_listeners l
    where l.project_id = e.project_id and l.event_name = e.name
      and l.contact_id in ('00000000-0000-0000-0000-000000000000', e.contact_id)
    offset 0
  ) l;
  if matched is null then
    return;
  end if;
  -- Set by callers that can divide their events.
  if cardinality(matched) > most[2] or cardinality(matched) > most[1] and exists (
    select from unnest(matched_in) project group by project having count(*) > most[1]
  ) then
    raise exception 'the events start or wake % executions', cardinality(matched)
      using errcode = 'program_limit_exceeded', constraint = 'most_matches';
  end if;
  sorted := array_sort(matched);
  lowest := sorted[1];
  highest := sorted[cardinality(sorted)];

  with entering as materialized (
    select distinct on (m.listener, e.contact_id) m.listener as workflow_id, e.contact_id, e.id as event_id, e.data
    from unnest(matched, listeners) as m (event_id, listener)
    join events e on e.id = m.event_id and e.id between lowest and highest
    -- Prevents endless chains of emails: an event of a workflow's email never starts that workflow, and an automatic
    -- one starts no other workflow if the sender itself starts on automatic events.
    where not exists (
      select from workflows sender
      where sender.id = e.workflow_id
        and (sender.id = m.listener or (e.name = any(automatic) and sender.event_name = any(automatic)))
    )
    order by m.listener, e.contact_id, e.occurred_at, e.id
  ),
  workflow as materialized (
    -- Locked so that the workflow cannot be deleted before the commit.
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
  select array_agg(id), array_agg(project_id) into started, started_in from execution;

  with waiting as materialized (
    select l.project_id, l.event_name, l.contact_id, l.id, l.execution_id, l.visit
    from event_listeners l
    join unnest(matched, listeners) as m (event_id, listener) on m.listener = l.execution_id
    join events e on e.id = m.event_id and e.id between lowest and highest and e.project_id = l.project_id and e.name = l.event_name
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
      from unnest(matched, listeners) as m (event_id, listener)
      join events e on e.id = m.event_id and e.id between lowest and highest
      where m.listener = d.execution_id
      order by e.occurred_at, e.id
      limit 1)
    from removed d
    where r.execution_id = d.execution_id and r.visit = d.visit and r.completed_at is null
    returning r.execution_id, d.project_id
  )
  select array_agg(execution_id), array_agg(project_id) into woken, woken_in from ended;

  if started is null and woken is null then
    return;
  end if;
  perform pg_notify('commands_left', '');
  return query
    select 'execution.start', x.id, x.project_id from unnest(started, started_in) as x (id, project_id)
    union all
    select 'execution.wake', x.id, x.project_id from unnest(woken, woken_in) as x (id, project_id);
end
$$;
