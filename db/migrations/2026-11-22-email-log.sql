-- The log of a project's emails. An index on a column that changes with each state of an email would make all its updates
-- index writes; these are on columns that never change, or only for the few emails that the index is about.
create index emails_log on emails (project_id, source, id);
drop index emails_project;
create index emails_workflow on emails (workflow_id, id) where workflow_id is not null;
create index emails_failed on emails (project_id, id)
  where bounced_at is not null or complained_at is not null or reason is not null;
