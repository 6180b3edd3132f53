-- Projects take turns with their commands. The zero UUID: of none, or written by a version that did not say.
alter table outbox add column project_id uuid not null default '00000000-0000-0000-0000-000000000000';
update outbox o set project_id = p.project_id
from (
  select c.id, coalesce(
    case c.kind
      when 'email.dispatch' then (select project_id from emails where id = c.subject_id)
      when 'campaign.changed' then (select project_id from campaigns where id = c.subject_id)
      when 'contact.snooze' then (select project_id from contacts where id = c.subject_id)
      when 'contacts.import' then (select project_id from jobs where id = c.subject_id)
      when 'contacts.bulk' then (select project_id from jobs where id = c.subject_id)
      when 'domain.verify' then coalesce((select project_id from domains where id = c.subject_id),
        (select project_id from domain_removals where id = c.subject_id))
      when 'events.delete' then (select project_id from event_deletions where id = c.subject_id)
      when 'project.erase' then (select project_id from project_erasures where id = c.subject_id)
      when 'billing.end' then c.subject_id
      else (select project_id from workflow_executions where id = c.subject_id)
    end, '00000000-0000-0000-0000-000000000000') as project_id
  from outbox c
) p
where p.id = o.id;

-- A lane for emails and one for everything else, each by project.
drop index outbox_due;
create index outbox_emails on outbox (project_id, next_attempt_at, id)
  where dead_at is null and kind = 'email.dispatch';
create index outbox_work on outbox (project_id, next_attempt_at, id)
  where dead_at is null and kind <> 'email.dispatch';
