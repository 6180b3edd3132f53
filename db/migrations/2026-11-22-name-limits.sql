-- Event names that a project has tracked. Anyone with its public key can add some.
create table event_names (
  project_id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, name)
);
