-- The names of the events that a project has tracked, which anyone with its public key can make up.
create table event_names (
  project_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, name)
);
-- From name to name in the primary key of the statistics, however many contacts have had an event.
insert into event_names (project_id, name)
with recursive counted (project_id, name) as (
  (select project_id, name from contact_event_stats order by project_id, name limit 1)
  union all
  select n.project_id, n.name
  from counted c
  cross join lateral (
    select s.project_id, s.name from contact_event_stats s
    where (s.project_id, s.name) > (c.project_id, c.name)
    order by s.project_id, s.name limit 1
  ) n
)
select project_id, name from counted
where name not like 'email.%' and name not in ('contact.subscribed', 'contact.unsubscribed')
  and name !~ '^segment\.[^.]+\.(entry|exit)$';

-- At most 10,000 rows for each project: no statement adds more, and those that are there stay. One at a time for each
-- project, so that no two that meet add too many. The error's detail is the project.
create function bound_project_rows() returns trigger language plpgsql as $$
declare
  project uuid;
  rows_now int;
begin
  for project in select distinct project_id from added order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended(tg_table_name || ' ' || project, 0));
    execute format('select count(*) from %I where project_id = $1', tg_table_name) into rows_now using project;
    if rows_now > 10000 then
      raise exception '% has more than 10000 rows for a project', tg_table_name
        using errcode = 'check_violation', constraint = tg_table_name || '_limit', detail = project::text;
    end if;
  end loop;
  return null;
end
$$;
create trigger event_names_limit after insert on event_names referencing new table as added
  for each statement execute function bound_project_rows();
create trigger contact_fields_limit after insert on contact_fields referencing new table as added
  for each statement execute function bound_project_rows();
