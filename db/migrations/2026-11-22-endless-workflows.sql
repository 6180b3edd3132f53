-- Number of workflow executions between an event and the action of a person or client that caused it; 0 for the action.
alter table events add column hops smallint not null default 0;
-- The same for the events of an email.
alter table emails add column hops smallint not null default 0;
-- The same for entries and exits of segments that follow from a workflow's change of the contact, and when it was made.
alter table contacts add column moved_hops smallint, add column moved_at timestamptz(3);
-- Null until the execution enters its first step.
alter table workflow_executions add column hops smallint, add column paused_visit int;
