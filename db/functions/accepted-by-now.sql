-- The current snapshot plus the transaction's own writes. An event whose transaction is not visible in it was accepted
-- later, whatever its timestamps say; waits of workflows count events by it.
create or replace function accepted_by_now() returns pg_snapshot language sql volatile as $$
  select case
    when own < xmax then now
    else (xmin || ':' || own + 1 || ':' || (
      select coalesce(string_agg(id::text, ',' order by id), '')
      from (
        select xip::text::bigint from pg_snapshot_xip(now) xip
        union all
        -- Transactions that began after the snapshot and before this one's id: their outcome is unknown.
        select generate_series(xmax, own - 1)
      ) open (id)))::pg_snapshot
  end
  from pg_current_snapshot() now
  cross join lateral (
    select pg_snapshot_xmin(now)::text::bigint, pg_snapshot_xmax(now)::text::bigint,
      pg_current_xact_id()::text::bigint
  ) bounds (xmin, xmax, own)
$$;
