-- The data of a project are found by it, however many others have theirs in the same table.
create index emails_project on emails (project_id, id);
create index email_contents_project on email_contents (project_id, id);
create index events_activity_project on events (project_id, id) where kind = 'activity';

-- One reset of a project at a time; its row stays for who asks how it went.
alter table project_erasures add column is_reset boolean not null default false;
alter table project_erasures add column erased_at timestamptz(3);
create unique index project_erasures_reset on project_erasures (project_id) where is_reset and erased_at is null;
