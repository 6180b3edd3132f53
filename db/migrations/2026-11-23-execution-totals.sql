-- Totals of large lists of executions are estimates of the planner: these statistics are of workflows with many, and by status.
alter table workflow_executions alter column workflow_id set statistics 1000;
create statistics workflow_executions_totals (mcv) on workflow_id, status from workflow_executions;
