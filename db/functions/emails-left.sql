-- Emails that a project may still send this month, at least 0; null means no limit. The answer is exact: callers lock the
-- limit's row until their transactions end, one after the other. With `spare`, callers far from the limit take only a shared
-- lock and run side by side; near the limit they queue as without it. `spare` is an upper bound of what all transactions
-- that run at one moment may want together.
create or replace function emails_left(project uuid, kind text, wanted int, spare int) returns int language plpgsql as $$
declare
  most bigint;
  used bigint;
begin
  select emails into most from billing_limits where project_id = project and category = kind;
  if most is null then
    return null;
  end if;
  if emails_used(project, kind) + wanted + 2 * spare <= most then
    begin
      select emails into most from billing_limits where project_id = project and category = kind for share;
      used := emails_used(project, kind);
      if most is null or used + wanted + spare <= most then
        return most - used;
      end if;
      -- Gives up the shared lock: two callers that both go on from it to the exclusive one would wait for each other.
      raise 'near the limit';
    exception when raise_exception then
      null;
    end;
  end if;
  select emails into most from billing_limits where project_id = project and category = kind for no key update;
  -- Null when the limit was removed while this waited for its lock.
  return case when most is not null then greatest(0, most - emails_used(project, kind)) end;
end
$$;
