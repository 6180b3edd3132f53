-- A computation of a segment in full goes on where its last turn ended, once other projects have had theirs.
alter table segments add column computation jsonb;
alter table segments add column turn_ended_at timestamptz(3);
