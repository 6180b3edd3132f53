-- Beside this version, a process of an older one may still run that deletes events by ctid. In a partitioned table that would
-- delete the rows at the same place of other partitions too. The old process repeats its work until it is replaced.
create or replace function refuse_deletes_by_ctid() returns trigger language plpgsql as $$
begin
  if current_query() ~ 'ctid = any' then
    raise 'rows of a partitioned table cannot be deleted by ctid; run the version that partitioned it';
  end if;
  return null;
end
$$;
