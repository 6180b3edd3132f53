-- Bytes of a value as JSON.stringify writes it. The text of jsonb has a space after each structural colon and comma; the
-- expression removes those, but none inside strings. For the check that limits a contact's data to 64 KB; a value whose
-- jsonb text fits the limit is measured by that text, which is cheaper.
create or replace function json_text_bytes(value jsonb) returns int
  language sql immutable strict parallel safe
  return case
    when octet_length(value::text) <= 65536 then octet_length(value::text)
    else octet_length(regexp_replace(value::text, '("(?:[^"\\]|\\.)*")|([:,]) ', '\1\2', 'g'))
  end;
