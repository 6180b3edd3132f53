-- Projects take turns with their commands. The zero UUID means no project.
alter table outbox add column project_id uuid not null default '00000000-0000-0000-0000-000000000000';

-- A lane for emails and one for everything else, each by project.
drop index outbox_due;
create index outbox_emails on outbox (project_id, next_attempt_at, id)
  where dead_at is null and kind = 'email.dispatch';
create index outbox_work on outbox (project_id, next_attempt_at, id)
  where dead_at is null and kind <> 'email.dispatch';
