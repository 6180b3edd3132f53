-- The rows that an import rejected, as they stood in the file: people correct them and import them again.
create table job_rejections (
  job_id uuid not null,
  position int not null,
  bytes bytea not null,
  primary key (job_id, position),
  constraint job_rejections_job_id_foreign foreign key (job_id) references jobs (id) on delete cascade
);
