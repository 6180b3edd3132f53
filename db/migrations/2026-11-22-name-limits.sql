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
