-- The templates that a version of a workflow sends.
create table workflow_version_templates (
  template_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  primary key (template_id, workflow_id, version)
);
create index workflow_version_templates_workflow on workflow_version_templates (workflow_id);

-- Shows whether a version still has executions under way.
create index workflow_executions_pinned on workflow_executions (workflow_id, version)
  where status in ('RUNNING', 'WAITING');
