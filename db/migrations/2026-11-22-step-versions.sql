-- Identifies what an editor of the step has seen.
alter table workflow_steps add column updated_at timestamptz(3) not null default now();
