create table workflows (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  enabled boolean not null default false,
  event_name text not null,
  allow_reentry boolean not null default false,
  version int not null default 1,
  live_version int,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflows_project on workflows (project_id, created_at, id);

create table workflow_steps (
  id uuid not null,
  workflow_id uuid not null,
  type text not null,
  name text not null,
  position jsonb,
  config jsonb not null default '{}',
  template_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflow_steps_workflow on workflow_steps (workflow_id);
create index workflow_steps_template on workflow_steps (template_id) where template_id is not null;

create table workflow_transitions (
  id uuid not null,
  workflow_id uuid not null,
  from_step_id uuid not null,
  to_step_id uuid not null,
  branch text,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index workflow_transitions_workflow on workflow_transitions (workflow_id);
create unique index workflow_transitions_from on workflow_transitions (from_step_id, coalesce(branch, ''));

create table workflow_versions (
  workflow_id uuid not null,
  version int not null,
  graph jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (workflow_id, version)
);

create table workflow_executions (
  id uuid not null,
  project_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  contact_id uuid,
  status text not null default 'RUNNING',
  only_once boolean not null,
  event_id uuid,
  current_step_id uuid,
  visit int not null default 0,
  resume_at timestamptz(3),
  context jsonb not null default '{}',
  event jsonb not null default '{}',
  exit_reason text,
  error text,
  started_at timestamptz(3) not null default now(),
  started_after pg_snapshot not null default accepted_by_now(),
  completed_at timestamptz(3),
  primary key (id)
);
create index workflow_executions_workflow on workflow_executions (workflow_id, started_at, id);
create index workflow_executions_status on workflow_executions (workflow_id, status, started_at, id);
create index workflow_executions_contact on workflow_executions (contact_id, workflow_id);
create unique index workflow_executions_active on workflow_executions (workflow_id, contact_id)
  where status in ('RUNNING', 'WAITING');
create unique index workflow_executions_once on workflow_executions (workflow_id, contact_id) where only_once;
create index workflow_executions_upcoming on workflow_executions (project_id, resume_at)
  where resume_at is not null;
-- For the sweep that finds what should have gone on.
create index workflow_executions_due on workflow_executions (resume_at) where resume_at is not null;
create index workflow_executions_running on workflow_executions (started_at) where status = 'RUNNING';
alter table workflow_executions add constraint workflow_executions_status_check
  check (status in ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'));

create table workflow_step_runs (
  execution_id uuid not null,
  visit int not null,
  step_id uuid not null,
  branch text,
  output jsonb,
  error text,
  called_at timestamptz(3),
  started_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  ended_after pg_snapshot,
  primary key (execution_id, visit)
);

create table event_listeners (
  project_id uuid not null,
  event_name text not null,
  contact_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  execution_id uuid,
  visit int,
  primary key (project_id, event_name, contact_id, id)
);
create index event_listeners_workflow on event_listeners (workflow_id);
create index event_listeners_execution on event_listeners (execution_id) where execution_id is not null;

alter table projects add column webhook_secret_encrypted bytea,
  add column webhook_secret_previous_encrypted bytea,
  add column webhook_secret_previous_until timestamptz(3);

-- Of an execution whose contact is being erased: the workflow in Temporal is named after both.
alter table outbox add column contact_id uuid;
