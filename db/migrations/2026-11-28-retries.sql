alter table emails add column retry_at timestamptz(3);
