-- Adds to contact_figure_changes what a statement changes in a project's number of contacts, of subscribed and of snoozed
-- ones, and of contacts with each data field. The sums are per statement: mostly none, and a few rows however many contacts
-- it writes, at a few microseconds per contact. One branch per kind of statement, because each offers other transition
-- tables.
create or replace function record_contact_figure_changes() returns trigger language plpgsql
  -- The plan that is kept may be that of a statement with one contact: nested loops would pair each of a large import with each.
  set plan_cache_mode = force_generic_plan
  set enable_nestloop = off as $$
declare
  -- Whether a project of the contacts has tracked segments.
  are_read boolean;
  is_update_read boolean;
begin
  -- Hot statements that may write contacts mostly write none, and fire this nevertheless.
  if tg_op = 'INSERT' then
    if not exists (select from new_contacts) then
      return null;
    end if;
    insert into contact_figure_changes (project_id, figure, change)
    select project_id, figure, counted.contacts
    from (
      select project_id, count(*) as contacts, count(*) filter (where subscribed) as subscribed,
        count(snoozed_until) as snoozed
      from new_contacts
      group by project_id
    ) t
    cross join lateral (
      values ('contacts', t.contacts), ('subscribed', t.subscribed), ('snoozed', t.snoozed)
    ) counted (figure, contacts)
    where counted.contacts > 0
    union all
    select project_id, 'data.' || key, count(*)
    from (select project_id, jsonb_object_keys(data) as key from new_contacts) k
    group by project_id, key;
  elsif tg_op = 'DELETE' then
    insert into contact_figure_changes (project_id, figure, change)
    select project_id, figure, -counted.contacts
    from (
      select project_id, count(*) as contacts, count(*) filter (where subscribed) as subscribed,
        count(snoozed_until) as snoozed
      from old_contacts
      group by project_id
    ) t
    cross join lateral (
      values ('contacts', t.contacts), ('subscribed', t.subscribed), ('snoozed', t.snoozed)
    ) counted (figure, contacts)
    where counted.contacts > 0
    union all
    select project_id, 'data.' || key, -count(*)
    from (select project_id, jsonb_object_keys(data) as key from old_contacts) k
    group by project_id, key;
  else
    if not exists (select from new_contacts) then
      return null;
    end if;
    are_read := exists (
      select from new_contacts n
      where exists (select from segment_inputs i where i.project_id = n.project_id and i.input = 'contact' offset 0));
    is_update_read := are_read and exists (
      select from new_contacts n
      where exists (select from segment_inputs i where i.project_id = n.project_id and i.input = 'updatedAt' offset 0));
    -- The same look at both versions also notes what changed for tracked segments (record-segment-changes.sql): reading the
    -- keys costs most. Concatenating an empty object leaves a value that is not fetched again for each key.
    with pair as materialized (
      select n.project_id, n.id, n.subscribed::int - o.subscribed::int as subscribed,
        (n.snoozed_until is not null)::int - (o.snoozed_until is not null)::int as snoozed,
        are_read and n.snoozed_until is distinct from o.snoozed_until as has_snoozed,
        are_read and n.email <> o.email as has_moved,
        is_update_read and n.updated_at <> o.updated_at as has_updated,
        -- Only a change that an execution caused sets them.
        case when n.moved_at is distinct from o.moved_at or n.moved_hops is distinct from o.moved_hops
          then n.moved_hops end as hops,
        n.data <> o.data as has_changed, n.data || '{}' as data, o.data || '{}' as old_data
      from new_contacts n
      join old_contacts o on o.id = n.id
    ),
    field as materialized (
      select project_id, id, hops, key, (data ? key)::int - (old_data ? key)::int as change,
        are_read and data -> key is distinct from old_data -> key as has_changed
      from (select project_id, id, hops, data, old_data, jsonb_object_keys(data || old_data) as key from pair where has_changed) p
    ),
    figures as (
      insert into contact_figure_changes (project_id, figure, change)
      select project_id, figure, sum(change)
      from (
        select project_id, 'subscribed' as figure, subscribed as change from pair where subscribed <> 0
        union all
        select project_id, 'snoozed', snoozed from pair where snoozed <> 0
        union all
        select project_id, 'data.' || key, change from field where change <> 0
      ) c
      group by project_id, figure
      having sum(change) <> 0
    )
    insert into segment_changes (project_id, input, contact_ids, hops)
    select t.project_id, t.input, t.contact_ids, t.hops
    from (
      select project_id, input, hops, array_agg(id) as contact_ids
      from (
        select project_id, id, hops, 'subscribed' as input from pair where are_read and subscribed <> 0
        union all
        select project_id, id, hops, 'snoozedUntil' from pair where has_snoozed
        union all
        select project_id, id, hops, 'email' from pair where has_moved
        union all
        select project_id, id, hops, 'updatedAt' from pair where has_updated
        union all
        select project_id, id, hops, left('data.' || key, 200) from field where has_changed
      ) c
      group by project_id, input, hops
    ) t
    where exists (
      select from segment_inputs i where i.project_id = t.project_id and i.input = t.input offset 0);
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
