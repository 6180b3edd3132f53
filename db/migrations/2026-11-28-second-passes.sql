alter table contact_erasures add column passed_at timestamptz(3);
