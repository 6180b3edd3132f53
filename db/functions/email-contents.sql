-- The contents as processes of versions before 2026-11-23-shared-contents read and write them.
create or replace view email_contents as
  select c.id, c.project_id,
    coalesce(c.subject, (select t.subject from template_contents t where t.id = c.template_content_id)) as subject,
    coalesce(c.body, (select t.body from template_contents t where t.id = c.template_content_id)) as body,
    coalesce(c.from_email, (select t.from_email from template_contents t where t.id = c.template_content_id)) as from_email,
    coalesce(c.from_name, (select t.from_name from template_contents t where t.id = c.template_content_id)) as from_name,
    coalesce(c.reply_to, (select t.reply_to from template_contents t where t.id = c.template_content_id)) as reply_to,
    c.headers, c.variables, c.created_at, c.ctid as ctid
  from message_contents c;

create or replace function insert_message_content() returns trigger language plpgsql as $$
begin
  new.headers := coalesce(new.headers, '{}');
  new.variables := coalesce(new.variables, '{}');
  new.created_at := coalesce(new.created_at, now());
  insert into message_contents
    (id, project_id, subject, body, from_email, from_name, reply_to, headers, variables, created_at)
  values (new.id, new.project_id, new.subject, new.body, new.from_email, new.from_name, new.reply_to, new.headers,
    new.variables, new.created_at);
  return new;
end
$$;

create or replace trigger email_contents_inserted instead of insert on email_contents
  for each row execute function insert_message_content();
