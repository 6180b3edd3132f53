-- The name by which processes of versions before 2026-11-22-function-files call start_and_wake_executions. Without it, each
-- /v1/send and /v1/track that such a process gets during an upgrade fails.
create or replace function hear_events(event_ids uuid[], projects uuid[], names text[], contacts uuid[])
  returns table (kind text, subject_id uuid, of_project uuid) language sql volatile strict as $$
  select * from start_and_wake_executions(event_ids, projects, names, contacts)
$$;
