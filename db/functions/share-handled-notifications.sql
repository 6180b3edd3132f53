-- A notification that a process of an older version handles, which knows only provider_notifications, is one that is handled
-- for newer processes too, and the reverse. The older process does not know the day of publication, so it takes every one
-- that is possible: a newer process that handles the same notification at this moment waits for it at the unique index.
create or replace function share_handled_notifications() returns trigger language plpgsql as $$
declare
  taken int;
  -- The oldest that is accepted, and clocks that differ (providers/sns/verifier.ts).
  first constant date := (now() at time zone 'UTC')::date - 15;
begin
  insert into handled_notifications (id, published_on)
  select new.id, first + n from generate_series(0, 17) n order by n
  on conflict (id, published_on) do nothing;
  get diagnostics taken = row_count;
  return case when taken = 18 then new end;
end
$$;

create or replace trigger provider_notifications_shared before insert on provider_notifications
  for each row when (new.received_at > now() - interval '15 days') execute function share_handled_notifications();
