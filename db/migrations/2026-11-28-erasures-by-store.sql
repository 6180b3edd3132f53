-- When Postgres has forgotten the contact, while ClickHouse has not.
alter table contact_erasures add column cleared_at timestamptz(3);
create index contact_erasures_to_clear on contact_erasures (project_id, erased_at) where cleared_at is null;
create index contact_erasures_cleared on contact_erasures (project_id, erased_at) where cleared_at is not null;
