-- Emails that a project may still send this month, at least 0; null means no limit. The answer is exact: callers hold a lock
-- until their transactions end, one after the other. With `spare`, callers far from the limit take it only shared and run
-- side by side; near the limit they queue as without it. `spare` is an upper bound of what all transactions that run at one
-- moment may want together.
--
-- An advisory lock, because the limit's row would keep its own changes waiting: for as long as callers share it without a
-- gap, which a busy project may do for hours.
create or replace function emails_left(project uuid, kind text, wanted int, spare int) returns int language plpgsql as $$
declare
  lock_key constant bigint := hashtextextended('emails left ' || project || ' ' || kind, 0);
  most bigint;
  used bigint;
begin
  select emails into most from billing_limits where project_id = project and category = kind;
  if most is null then
    return null;
  end if;
  if emails_used(project, kind) + wanted + 2 * spare <= most then
    begin
      perform pg_advisory_xact_lock_shared(lock_key);
      select emails into most from billing_limits where project_id = project and category = kind;
      used := emails_used(project, kind);
      if most is null or used + wanted + spare <= most then
        return most - used;
      end if;
      -- Gives up the shared lock: two callers that both went on from it to the exclusive one would wait for each other.
      raise 'near the limit';
    exception when raise_exception then
      null;
    end;
  end if;
  perform pg_advisory_xact_lock(lock_key);
  select emails into most from billing_limits where project_id = project and category = kind;
  -- Null when the limit was removed while this waited.
  return case when most is not null then greatest(0, most - emails_used(project, kind)) end;
end
$$;
