-- When rows of a UTC day of a project last arrived or were erased, so that readers may keep the counts of a day until
-- it changes. A maximum does not care how often or in which order rows arrive. The day 1970-01-01 stands for all days
-- of the project. A day without a row has not changed since this table exists.
-- A row per project and day stays: it is a few bytes.
CREATE TABLE IF NOT EXISTS day_change (
  project_id UUID,
  day Date,
  changed_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, day);

CREATE MATERIALIZED VIEW IF NOT EXISTS day_change_view TO day_change AS
SELECT project_id, toDate(occurred_at, 'UTC') AS day, max(now64(3, 'UTC')) AS changed_at
FROM event
GROUP BY project_id, day;
