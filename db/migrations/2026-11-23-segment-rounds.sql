-- What the membership of tracked segments is computed from. Until a segment is planned and computed in full, it is not
-- current, and the rounds of changes do not suffice for it.
alter table segments add column inputs text[] not null default '{}';
alter table segments add column plan_id uuid;
alter table segments add column is_current boolean not null default false;
drop index segments_tracked;
create index segments_stale on segments (id) where track_membership and type = 'DYNAMIC' and not is_current;

create table segment_inputs (
  project_id uuid not null,
  input text not null,
  clock jsonb,
  planned_until timestamptz(3),
  planning_until timestamptz(3),
  primary key (project_id, input)
);
create index segment_inputs_planned on segment_inputs (planned_until) where planned_until is not null;

create table segment_changes (
  project_id uuid not null,
  id uuid not null default uuidv7(),
  input text not null,
  contact_ids uuid[] not null,
  primary key (project_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create table segment_rounds (
  project_id uuid not null,
  next_at timestamptz(3) not null,
  primary key (project_id)
);
