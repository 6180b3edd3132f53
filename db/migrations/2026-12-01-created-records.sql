-- The record that a request with an `Idempotency-Key` created: its repeats name it.
alter table idempotency_keys add column created_id uuid;
