-- The templates that a version of a workflow sends.
create table workflow_version_templates (
  template_id uuid not null,
  workflow_id uuid not null,
  version int not null,
  primary key (template_id, workflow_id, version)
);
create index workflow_version_templates_workflow on workflow_version_templates (workflow_id);
insert into workflow_version_templates (template_id, workflow_id, version)
select distinct (s.step #>> '{config,templateId}')::uuid, v.workflow_id, v.version
from workflow_versions v
cross join lateral jsonb_array_elements(v.graph -> 'steps') s (step)
where s.step ->> 'type' = 'SEND_EMAIL' and s.step #>> '{config,templateId}' is not null;

-- Whether a version still has executions under way.
create index workflow_executions_pinned on workflow_executions (workflow_id, version)
  where status in ('RUNNING', 'WAITING');
