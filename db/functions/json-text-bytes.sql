-- Bytes of a value as JSON.stringify writes it. The text of jsonb has a space after each structural colon and comma, which
-- don't count: an object of n keys has 2n - 1 of them, an array of n elements n - 1.
create or replace function large_json_text_bytes(value jsonb) returns int
  language sql immutable strict parallel safe
  return octet_length(value::text) - (
    select coalesce(sum(greatest(0, case jsonb_typeof(part)
      when 'object' then 2 * (select count(*) from jsonb_object_keys(part)) - 1
      when 'array' then jsonb_array_length(part) - 1
    end)), 0)
    from jsonb_path_query(value, 'strict $.**') part
  )::int;

-- The same, for the check that limits a contact's data to 64 KB. A value whose jsonb text fits the limit is measured by
-- that text, which is cheaper. Without a sub-query, so that Postgres inlines it.
create or replace function json_text_bytes(value jsonb) returns int
  language sql immutable strict parallel safe
  return case
    when octet_length(value::text) <= 65536 then octet_length(value::text)
    else large_json_text_bytes(value)
  end;
