-- Identifies the version of a step that an editor has seen.
alter table workflow_steps add column updated_at timestamptz(3) not null default now();
