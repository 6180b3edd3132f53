-- The calendar month (UTC) that an email counts in.
create or replace function usage_month(at timestamptz) returns date language sql immutable parallel safe
  return date_trunc('month', at at time zone 'UTC')::date;
