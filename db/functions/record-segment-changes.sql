-- Notes in segment_changes which contacts were touched, and in what, as far as a tracked segment of their project reads it.
-- A round then evaluates these contacts only. A row for each input that a statement touches, however many contacts it has:
-- hot statements share theirs. A project without tracked segments costs one look-up per statement.
--
-- No change is missed. The functions are volatile and run after the write: a transaction that does not see an input of
-- segment_inputs yet has its transaction id already, and a new input counts from when all older transactions have ended
-- (db/statements/segments/writers-barrier.ts).
create or replace function record_segment_changes(projects uuid[], contacts uuid[], inputs text[]) returns void
  language plpgsql strict
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into segment_changes (project_id, input, contact_ids)
  select t.project_id, t.input, t.contact_ids
  from (
    select project_id, left(input, 200) as input, array_agg(contact_id) as contact_ids
    from unnest(projects, contacts, inputs) as t (project_id, contact_id, input)
    group by project_id, left(input, 200)
  ) t
  where exists (
    select from segment_inputs i where i.project_id = t.project_id and i.input = t.input offset 0);
end
$$;

-- Updates are noted by record_contact_figure_changes.
create or replace function record_new_contacts() returns trigger language plpgsql as $$
begin
  insert into segment_changes (project_id, input, contact_ids)
  select t.project_id, 'contact', t.contact_ids
  from (select project_id, array_agg(id) as contact_ids from new_contacts group by project_id) t
  where exists (
    select from segment_inputs i where i.project_id = t.project_id and i.input = 'contact' offset 0);
  return null;
end
$$;

create or replace trigger contacts_inserted_for_segments after insert on contacts
  referencing new table as new_contacts
  for each statement execute function record_new_contacts();

-- Of static segments: the members of a computed one are an answer themselves, which no condition reads.
create or replace function record_member_changes() returns trigger language plpgsql as $$
begin
  insert into segment_changes (project_id, input, contact_ids)
  select s.project_id, 'segment.' || m.segment_id, m.contact_ids
  from (select segment_id, array_agg(contact_id) as contact_ids from changed_members group by segment_id) m
  cross join lateral (select s.project_id from segments s where s.id = m.segment_id and s.type = 'STATIC' offset 0) s
  where exists (
    select from segment_inputs i
    where i.project_id = s.project_id and i.input = 'segment.' || m.segment_id offset 0);
  return null;
end
$$;

create or replace trigger members_added_for_segments after insert on segment_members
  referencing new table as changed_members
  for each statement execute function record_member_changes();
create or replace trigger members_removed_for_segments after delete on segment_members
  referencing old table as changed_members
  for each statement execute function record_member_changes();
