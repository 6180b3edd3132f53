-- Adds emails to a project's usage of this month. Each connection counts in one of sixteen lanes, so that concurrent
-- callers rarely wait for each other.
create or replace function count_emails(project uuid, kind text, wanted int) returns void language sql
begin atomic
  insert into billing_usage (project_id, month, category, lane, emails)
  values (project, usage_month(now()), kind, pg_backend_pid() % 16, wanted)
  on conflict (project_id, month, category, lane) do update set emails = billing_usage.emails + excluded.emails;
end;
