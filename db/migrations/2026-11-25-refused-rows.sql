-- Rows of the journal that ClickHouse refused, for the doctor and the metrics.
alter table stream_positions
  add column refused_rows integer not null default 0,
  add column refused_at timestamptz(3);
