-- Adds to contact_figure_changes what a statement changes in a project's number of contacts, of subscribed and of snoozed
-- ones, and of contacts with each data field. The sums are per statement: mostly none, and a few rows however many contacts
-- it writes, at about 4 microseconds per contact. One branch per kind of statement, because each offers other transition
-- tables.
create or replace function record_contact_figure_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into contact_figure_changes (project_id, figure, change)
    select project_id, figure, count(*)
    from new_contacts c
    cross join lateral (
      select 'contacts'
      union all
      select 'subscribed' where c.subscribed
      union all
      select 'snoozed' where c.snoozed_until is not null
      union all
      select 'data.' || key from jsonb_object_keys(c.data) key
    ) counted (figure)
    group by project_id, figure;
  elsif tg_op = 'DELETE' then
    insert into contact_figure_changes (project_id, figure, change)
    select project_id, figure, -count(*)
    from old_contacts c
    cross join lateral (
      select 'contacts'
      union all
      select 'subscribed' where c.subscribed
      union all
      select 'snoozed' where c.snoozed_until is not null
      union all
      select 'data.' || key from jsonb_object_keys(c.data) key
    ) counted (figure)
    group by project_id, figure;
  else
    insert into contact_figure_changes (project_id, figure, change)
    select project_id, figure, sum(change)
    from (
      select project_id, subscribed, snoozed_until, data, 1 as change from new_contacts
      union all
      select project_id, subscribed, snoozed_until, data, -1 from old_contacts
    ) c
    cross join lateral (
      select 'subscribed' where c.subscribed
      union all
      select 'snoozed' where c.snoozed_until is not null
      union all
      select 'data.' || key from jsonb_object_keys(c.data) key
    ) counted (figure)
    group by project_id, figure
    having sum(change) <> 0;
  end if;
  return null;
end
$$;

create or replace trigger contacts_inserted after insert on contacts
  referencing new table as new_contacts
  for each statement execute function record_contact_figure_changes();
create or replace trigger contacts_updated after update on contacts
  referencing old table as old_contacts new table as new_contacts
  for each statement execute function record_contact_figure_changes();
create or replace trigger contacts_deleted after delete on contacts
  referencing old table as old_contacts
  for each statement execute function record_contact_figure_changes();
