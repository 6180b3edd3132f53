-- How many executions of workflows lie between an event and what a person or a client did; 0 for the latter.
alter table events add column hops smallint not null default 0;
-- Of the events of an email.
alter table emails add column hops smallint not null default 0;
-- Of the events of segments that a workflow has moved a contact into or out of, and when it did.
alter table contacts add column moved_hops smallint, add column moved_at timestamptz(3);
-- Null until the execution enters its first step, and in those from before.
alter table workflow_executions add column hops smallint, add column paused_visit int;
