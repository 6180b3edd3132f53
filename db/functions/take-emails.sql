-- Counts emails that are about to be queued and returns true. If they would exceed the limit, counts nothing and returns
-- false. `spare` is explained at emails_left.
create or replace function take_emails(project uuid, kind text, wanted int, spare int) returns boolean language plpgsql as $$
begin
  if emails_left(project, kind, wanted, spare) < wanted then
    return false;
  end if;
  perform count_emails(project, kind, wanted);
  return true;
end
$$;
