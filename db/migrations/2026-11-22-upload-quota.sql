-- Uploaded images of a project, and how much they are; those from before are not counted.
create table uploads (
  key text not null,
  project_id uuid not null,
  size bigint not null default 0,
  -- False until the file is whole and counted.
  stored boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (key)
);
create index uploads_project on uploads (project_id, created_at, key);
create index uploads_unfinished on uploads (created_at) where not stored;

create table upload_totals (
  project_id uuid not null,
  files int not null,
  bytes bigint not null,
  primary key (project_id)
);
