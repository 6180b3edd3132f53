-- The latest API requests of a project, for its developers: written in batches by the API, each row once or not at
-- all. `route` is the pattern; no path, query, body, key or contact stands here.
-- `id` distinguishes rows of one instant: clients may choose `request_id` and repeat it.
-- A part expires as a whole, up to a day late.
CREATE TABLE IF NOT EXISTS request_log (
  project_id UUID,
  at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  id UUID CODEC(ZSTD(1)),
  request_id String CODEC(ZSTD(1)),
  method LowCardinality(String),
  route LowCardinality(String),
  status UInt16,
  error_code LowCardinality(String),
  credential LowCardinality(String),
  duration_ms Float32 CODEC(ZSTD(1)),
  INDEX request_log_request_id request_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(at)
PRIMARY KEY (project_id, at)
ORDER BY (project_id, at, id)
TTL toDateTime(at) + toIntervalDay(7)
SETTINGS ttl_only_drop_parts = 1;
