-- Days whose figures have changed since their project was judged by them.
alter table project_email_days add column judged boolean not null default true;
create index project_email_days_unjudged on project_email_days (project_id, day) where not judged;
