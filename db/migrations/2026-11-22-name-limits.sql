-- The names of the events that a project has tracked, which anyone with its public key can make up.
create table event_names (
  project_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, name)
);
