-- Shares the send rate of the account among the projects that have transactional emails to send.
--
-- Arguments, one array element per project, `projects` ascending (two callers then lock buckets in the same order):
--   wanted        emails to send
--   firsts        id of the oldest of them
-- and for all: the rates of the account and of each project in emails per second (null: no limit), and `asking`, the
-- number of projects that share the account if the caller knows it (null: count them).
--
-- Returns one row per granted slot, with in_ms, the time from now when its email may leave; and one row for each
-- project that got fewer than it wanted, with in_ms null and retry_in_ms, when it should ask again. asking_now is the
-- number of projects that share the account.
--
-- Buckets, all in throttles: `account`; one per project (key: its id) for the project's own rate; and `share/<project>`.
--
-- 1. Each project's own rate limits what it may take (`allowed`).
-- 2. While the account has slots to spare, every project gets what it asks for, first come, first served.
-- 3. Once the account is booked ahead (`contended`), 90 % of its rate is divided equally: each project takes from its
--    share bucket, which the account honours up to 5 seconds ahead, so that no project is refused because of others.
-- 4. The account's remaining slots go to projects that want more than their share, only 0.3 seconds ahead, so that they
--    never delay the shares of others.
-- 5. Slots taken from a project's own buckets that the account did not grant are returned.
-- Within a project older emails go first: a request whose oldest email is younger than one in waiting_emails (`behind`)
-- gets only what is free right now.
--
-- Campaigns reserve theirs in temporal/activities/campaigns/reserve-campaign-slots.ts: one project per call, with buckets
-- that keep a tenth of each rate for transactional email, and no order by age.
create or replace function reserve_email_slots(projects uuid[], wanted int[], firsts uuid[], account_rate float8,
  project_rate float8, asking int, out project uuid, out in_ms float8, out retry_in_ms float8, out asking_now int)
returns setof record language plpgsql volatile as $$
declare
  -- Part of the account's rate that is divided into shares; the rest goes to projects that want more.
  share_of_rate constant float8 := 0.9;
  -- Seconds ahead that a project may take from its share, and from what is left over.
  ahead constant float8 := 0.3;
  -- Seconds ahead that shares may take from the account; less when no project in this call has waited yet, so that
  -- projects with waiting emails go before new ones.
  longest constant float8 := 5;
  longest_for_new constant float8 := 4;
  least_retry_ms constant float8 := 250;
  n constant int := cardinality(projects);
  contended boolean := account_rate is not null
    and exists (select from throttles where key = 'account' and next_free_at > now());
  behind boolean[] := array_fill(false, array[n]);
  all_behind boolean := true;
  someone_waits boolean := false;
  allowed int[] := wanted;  -- of wanted, by the project's own rate
  shared int[] := wanted;   -- of allowed, by its share of the account
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

  -- Each project by itself: its age, its own rate, its share.
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

  -- The account: first for the shares, then with what is left over.
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
    given := distribute_round_robin(shared, first_count);
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
        left_over := distribute_round_robin(left_over, more_count);
        for i in 1..n loop
          given[i] := given[i] + left_over[i];
          -- With many projects, the next leftover comes sooner than the project's next share.
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

  -- The times of the slots: projects take turns in the order of the account's slots.
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
