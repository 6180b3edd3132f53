-- A million emails of a workflow step were a million copies of its template. They share one a day now: an email's own row has
-- its variables alone. Processes of older versions know the table by its old name, which is a view now (db/functions).
alter table email_contents rename to message_contents;
alter index email_contents_pkey rename to message_contents_pkey;
alter index email_contents_created rename to message_contents_created;
alter index email_contents_project rename to message_contents_project;
alter table message_contents
  alter column subject drop not null,
  alter column body drop not null,
  alter column from_email drop not null,
  add column template_content_id uuid;

create table template_contents (
  id uuid not null,
  project_id uuid not null,
  subject text not null,
  body text not null,
  from_email text not null,
  from_name text,
  reply_to text,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index template_contents_created on template_contents (created_at);
create index template_contents_project on template_contents (project_id, created_at);
