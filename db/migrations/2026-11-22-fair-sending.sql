-- Whether the hand-over of a claimed email has begun. Null outside of a claim, and in claims that count as begun.
alter table emails add column hand_over_begun boolean;

-- Emails that the send rate keeps waiting, until they are claimed, and when a batch last looked at each. Unlogged: what
-- a crash takes comes back with the next look, and until then they only look again sooner.
create unlogged table waiting_emails (
  project_id uuid not null,
  email_id uuid not null,
  seen_at timestamptz(3) not null default now(),
  primary key (project_id, email_id)
) with (fillfactor = 50);

-- The generic cell rate algorithm. Takes up to `wanted` permits of a bucket that fills at `rate` a second and saves
-- those of `burst` seconds while it is idle; what would leave later than `horizon` seconds from now is not granted. An
-- idle bucket gives one however slowly it fills.
create function take_send_slots(bucket text, wanted float8, rate float8, burst float8, horizon float8,
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
    from (select greatest(t.next_free_at, now() - make_interval(secs => burst)) as free) known
  )
  returning greatest(old.next_free_at, now() - make_interval(secs => burst)) as starts, new.next_free_at as ends
)
select round(extract(epoch from ends - starts)::float8 * rate)::int,
  (extract(epoch from starts - now()) * 1000)::float8,
  greatest(50, extract(epoch from ends - now()) * 1000 - horizon * 500)::float8
from taken
$$;

-- Puts back permits that are of no use, because another bucket had none.
create function return_send_slots(bucket text, permits float8, rate float8) returns void language sql volatile as $$
update throttles set next_free_at = next_free_at - make_interval(secs => permits / rate) where key = bucket
$$;

-- Permits for transactional emails of several projects, in the order of `projects`, which is ascending: one row per
-- permit with the time after which its email may leave, and one per project that gets fewer than it wants, with the
-- time after which it should ask again.
--
-- While nobody waits for the account, everybody gets what is there. Otherwise each project has an equal share of it, by
-- a bucket of its own: its share is granted seconds ahead, so that it is never refused because of the others; what is
-- left over only shortly ahead, so that the shares of others leave at once. Of one project the emails that wait
-- longest go first: `firsts` are the oldest of each that asks, and younger ones get what is free right now.
create function reserve_email_slots(projects uuid[], wanted int[], firsts uuid[], account_rate float8,
  project_rate float8, asking int, out project uuid, out in_ms float8, out retry_in_ms float8, out asking_now int)
returns setof record language plpgsql volatile as $$
declare
  -- Of a rate, the part that is given out as shares; the rest goes to those who have used theirs up.
  share_of_rate constant float8 := 0.9;
  -- Seconds that a project may take of its share, and of what is left over, ahead.
  ahead constant float8 := 0.3;
  -- Seconds that shares may take the account ahead; those who wait already before those who come.
  longest constant float8 := 5;
  longest_for_new constant float8 := 4;
  least_retry_ms constant float8 := 250;
  n constant int := cardinality(projects);
  contended boolean := account_rate is not null
    and exists (select from throttles where key = 'account' and next_free_at > now());
  behind boolean[] := array_fill(false, array[n]);
  all_behind boolean := true;
  someone_waits boolean := false;
  allowed int[] := wanted;  -- by the project's own rate
  shared int[] := wanted;   -- of that, as its share of the account
  given int[] := array_fill(0, array[n]);
  retries float8[] := array_fill(0::float8, array[n]);
  starts float8[] := array_fill(0::float8, array[n]);
  share float8;
  slots record;
  first_starts float8 := 0;
  first_count int := 0;
  more_starts float8 := 0;
  more_count int := 0;
  total int;
  left_over int[];
  oldest uuid;
  turn int := 0;
begin
  asking_now := greatest(asking, n);
  if contended and asking is null then
    select count(*) into asking_now from throttles
    where key like 'share/%' and next_free_at > now() - interval '6 seconds'
      and not key = any(select 'share/' || p from unnest(projects) p);
    asking_now := asking_now + n;
  end if;
  share := account_rate * share_of_rate / greatest(1, asking_now);

  for i in 1..n loop
    select email_id into oldest from waiting_emails w
    where w.project_id = projects[i] and w.seen_at > now() - interval '5 minutes'
    order by email_id limit 1;
    behind[i] := coalesce(oldest < firsts[i], false);
    all_behind := all_behind and behind[i];
    someone_waits := someone_waits or oldest is not null;
    if project_rate is not null then
      select * into slots from take_send_slots(projects[i]::text, least(wanted[i], ceil(project_rate)), project_rate, 1,
        case when behind[i] then 0 else longest end);
      allowed[i] := slots.granted;
      starts[i] := slots.start_in_ms;
      if slots.granted < wanted[i] then retries[i] := slots.retry_in_ms; end if;
    end if;
    shared[i] := allowed[i];
    if contended then
      select * into slots from take_send_slots('share/' || projects[i], allowed[i], share, 0,
        case when behind[i] then 0 else ahead end);
      shared[i] := slots.granted;
      if slots.granted < allowed[i] then retries[i] := greatest(retries[i], slots.retry_in_ms); end if;
    end if;
  end loop;

  select coalesce(sum(s), 0) into total from unnest(shared) s;
  if account_rate is null then
    given := shared;
  elsif total > 0 then
    select * into slots from take_send_slots('account', total, account_rate, 1,
      case
        when contended then case when someone_waits then longest else longest_for_new end
        when all_behind then 0
        else ahead
      end);
    first_starts := slots.start_in_ms;
    first_count := slots.granted;
    given := deal_in_turns(shared, first_count);
    if not contended and first_count < total then
      for i in 1..n loop
        if given[i] < shared[i] then retries[i] := greatest(retries[i], least_retry_ms, slots.retry_in_ms); end if;
      end loop;
    elsif contended then
      for i in 1..n loop
        if given[i] < shared[i] then
          perform return_send_slots('share/' || projects[i], shared[i] - given[i], share);
          retries[i] := greatest(retries[i], slots.retry_in_ms);
        end if;
      end loop;
      select array_agg(case when behind[i] then 0 else allowed[i] - given[i] end order by i) into left_over
      from generate_series(1, n) i;
      select sum(l) into total from unnest(left_over) l;
      if total > 0 then
        select * into slots from take_send_slots('account', total, account_rate, 1, ahead);
        more_starts := slots.start_in_ms;
        more_count := slots.granted;
        left_over := deal_in_turns(left_over, more_count);
        for i in 1..n loop
          given[i] := given[i] + left_over[i];
          -- What is left over comes sooner than the next share of one among many.
          if not behind[i] and given[i] < allowed[i] then
            retries[i] := greatest(least_retry_ms, least(retries[i], slots.retry_in_ms));
          end if;
        end loop;
      end if;
    end if;
    if project_rate is not null then
      for i in 1..n loop
        if given[i] < allowed[i] then
          perform return_send_slots(projects[i]::text, allowed[i] - given[i], project_rate);
        end if;
      end loop;
    end if;
  end if;

  -- The permits of the account, in turns.
  for round in 0 .. coalesce((select max(g) from unnest(given) g), 0) - 1 loop
    for i in 1..n loop
      continue when given[i] <= round;
      project := projects[i];
      in_ms := 0;
      if account_rate is not null then
        in_ms := case when turn < first_count then first_starts + turn * 1000 / account_rate
          else more_starts + (turn - first_count) * 1000 / account_rate end;
      end if;
      if project_rate is not null then in_ms := greatest(in_ms, starts[i] + round * 1000 / project_rate); end if;
      in_ms := greatest(in_ms, 0);
      turn := turn + 1;
      return next;
    end loop;
  end loop;
  in_ms := null;
  for i in 1..n loop
    continue when given[i] >= wanted[i];
    project := projects[i];
    retry_in_ms := greatest(50, retries[i]);
    return next;
  end loop;
end $$;

-- `count` things for those who want so many each, one to each in turns.
create function deal_in_turns(wants int[], count int) returns int[] language plpgsql immutable as $$
declare
  dealt int[] := array_fill(0, array[cardinality(wants)]);
  free int := count;
  dealt_before int := -1;
begin
  while free > 0 and free <> dealt_before loop
    dealt_before := free;
    for i in 1..cardinality(wants) loop
      exit when free = 0;
      continue when dealt[i] >= wants[i];
      dealt[i] := dealt[i] + 1;
      free := free - 1;
    end loop;
  end loop;
  return dealt;
end $$;
