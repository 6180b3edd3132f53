/**
 * CTEs that count events in `contact_event_stats`, record them for tracked segments, start and wake the executions that
 * listen for them, and queue the commands to Temporal (`start_and_wake_executions`). Required in every statement that
 * writes events visible to workflows or segments.
 *
 * @param events query of (id, project_id, name, contact_id, occurred_at); any number of rows, `contact_id` may be null
 */
export const countEventsSql = (events: string) => `
  counted_event as (${events}),
  event_counted as (
    insert into contact_event_stats as s (project_id, name, contact_id, count, first_at, last_at, last_event_id)
    select project_id, name, contact_id, count(*), min(occurred_at), max(occurred_at),
      (array_agg(id order by occurred_at desc, id desc))[1]
    from counted_event
    where contact_id is not null
    group by project_id, name, contact_id
    order by project_id, name, contact_id
    on conflict (project_id, name, contact_id) do update
    set count = s.count + excluded.count,
      first_at = least(s.first_at, excluded.first_at),
      last_event_id = case when excluded.last_at >= s.last_at then excluded.last_event_id else s.last_event_id end,
      last_at = greatest(s.last_at, excluded.last_at)
    returning contact_id
  ),
  event_commands as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), c.kind, c.subject_id, c.of_project
    from (
      select array_agg(id) as ids, array_agg(project_id) as projects, array_agg(name) as names,
        array_agg(contact_id) as contacts
      from counted_event
      -- Waits until the statistics are locked.
      where contact_id is not null and (select count(*) from event_counted) > 0
    ) e, start_and_wake_executions(e.ids, e.projects, e.names, e.contacts) c
  )`;
