-- A segment whose condition or tracking changes has to be planned and computed in full again, and so has every tracked
-- segment whose condition leads to it.
create or replace function mark_segment_stale() returns trigger language plpgsql as $$
begin
  new.is_current := false;
  new.plan_id := null;
  if not new.track_membership then
    new.inputs := '{}';
  end if;
  return new;
end
$$;

create or replace function mark_referring_segments_stale() returns trigger language plpgsql as $$
begin
  update segments s
  set is_current = false, plan_id = null
  where s.track_membership and s.id in (
    with recursive referring (id) as (
      select r.id from segments r where r.project_id = new.project_id and r.refers_to @> array[new.id]
      union
      select r.id
      from referring f
      join segments r on r.project_id = new.project_id and r.refers_to @> array[f.id]
    )
    select id from referring);
  return null;
end
$$;

create or replace trigger segments_changed before update on segments
  for each row
  when (old.condition is distinct from new.condition or old.track_membership <> new.track_membership)
  execute function mark_segment_stale();
create or replace trigger segments_condition_changed after update on segments
  for each row
  when (old.condition is distinct from new.condition)
  execute function mark_referring_segments_stale();

-- A deleted event name changes the answers for every contact that had the event. When the deletion is complete, at which time
-- no event is left that the computation in full could read.
create or replace function mark_event_readers_stale() returns trigger language plpgsql as $$
begin
  -- Locked by id, as rounds lock them.
  with readers as materialized (
    select id from segments
    where project_id = old.project_id and track_membership and inputs @> array[left('event.' || old.name, 200)]
    order by id for no key update
  )
  update segments s set is_current = false, plan_id = null from readers r where s.id = r.id;
  return null;
end
$$;

create or replace trigger event_deletion_completed after delete on event_deletions
  for each row execute function mark_event_readers_stale();
