-- What DNS has instead of a domain's records, so that people see their typing error.
alter table domains add column other_values jsonb not null default '{}';
