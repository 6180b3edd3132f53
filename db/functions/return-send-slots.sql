-- Returns unused slots to a bucket, because another bucket had none.
create or replace function return_send_slots(bucket text, permits float8, rate float8) returns void language sql volatile as $$
update throttles set next_free_at = next_free_at - make_interval(secs => permits / rate) where key = bucket
$$;
