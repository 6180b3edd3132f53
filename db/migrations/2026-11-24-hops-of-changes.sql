-- Workflow hops of a change that an execution caused, for the events of segments that follow from it; null for any other.
alter table segment_changes add column hops smallint;
