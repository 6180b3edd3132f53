-- What counts against a project's limit this month: emails that were counted, and the recipients that campaigns may still
-- add while their audience is being frozen. Volatile, so that each call sees what was committed before it.
create or replace function emails_used(project uuid, kind text) returns bigint language sql
begin atomic
  select coalesce(sum(emails), 0)::bigint + case when kind = 'campaigns' then coalesce((
      select sum(greatest(0, recipient_limit - total_recipients)) from campaigns
      where project_id = project and status = 'SENDING' and frozen_at is null), 0)
    else 0 end
  from billing_usage
  where project_id = project and category = kind and month = usage_month(now());
end;
