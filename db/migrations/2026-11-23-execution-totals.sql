-- Totals of large lists of executions are what the planner expects: of the workflows that have many, and of each status.
alter table workflow_executions alter column workflow_id set statistics 1000;
create statistics workflow_executions_totals (mcv) on workflow_id, status from workflow_executions;
