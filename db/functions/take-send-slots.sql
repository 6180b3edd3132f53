-- Takes up to `wanted` send slots from a bucket, by the generic cell rate algorithm (GCRA). The bucket fills at `rate` per
-- second and keeps at most `burst` seconds' worth while idle. Slots may be taken up to `horizon` seconds ahead of time. An
-- idle bucket always grants one, however slow its rate.
--
-- Returns the number granted, when the first of them may be used (ms from now, negative if already), and when asking for
-- the rest is worthwhile. throttles.next_free_at is the only state: one statement moves it, so the count is exact over all
-- processes.
--
-- No slots are granted further ahead than the horizon, or one of a slow rate. A bucket that is booked for longer, by more than
-- a minute, was booked by a clock that has been put back since: it is free now.
create or replace function take_send_slots(bucket text, wanted float8, rate float8, burst float8, horizon float8,
  out granted int, out start_in_ms float8, out retry_in_ms float8) language sql volatile as $$
with taken as (
  insert into throttles as t (key, next_free_at)
  select bucket, free + make_interval(secs => least(wanted, greatest((free <= now())::int,
    floor(rate * (horizon + extract(epoch from now() - free)::float8)))) / rate)
  from (select now() - make_interval(secs => burst) as free) new
  on conflict (key) do update
  set next_free_at = (
    select free + make_interval(secs => least(wanted, greatest((free <= now())::int,
      floor(rate * (horizon + extract(epoch from now() - free)::float8)))) / rate)
    from (select case when t.next_free_at > now() + make_interval(secs => 60 + greatest(horizon, 1 / rate)) then now()
      else greatest(t.next_free_at, now() - make_interval(secs => burst)) end as free) known
  )
  returning case when old.next_free_at > now() + make_interval(secs => 60 + greatest(horizon, 1 / rate)) then now()
    else greatest(old.next_free_at, now() - make_interval(secs => burst)) end as starts, new.next_free_at as ends
)
select round(extract(epoch from ends - starts)::float8 * rate)::int,
  (extract(epoch from starts - now()) * 1000)::float8,
  greatest(50, extract(epoch from ends - now()) * 1000 - horizon * 500)::float8
from taken
$$;
