-- Distributes `available` items round-robin, at most `wanted` each. Returns the number for each.
create or replace function distribute_round_robin(wanted int[], available int) returns int[] language plpgsql immutable as $$
declare
  given int[] := array_fill(0, array[cardinality(wanted)]);
  free int := available;
  free_before int := -1;
begin
  while free > 0 and free <> free_before loop
    free_before := free;
    for i in 1..cardinality(wanted) loop
      exit when free = 0;
      continue when given[i] >= wanted[i];
      given[i] := given[i] + 1;
      free := free - 1;
    end loop;
  end loop;
  return given;
end $$;
