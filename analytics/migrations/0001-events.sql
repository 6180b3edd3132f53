-- Everything that happened, as the journal in Postgres has it. Rows arrive at least once: those with the same key
-- are equal, and one of them remains. Ids that are null in Postgres are the zero UUID.
-- `activity_type` is empty for what the activity feed does not show.
-- `data` is the JSON text as Postgres wrote it. The JSON column type would change it (it drops nulls and empty
-- objects and refuses large numbers), halve the rate of inserts and need more memory to merge; a query can still
-- look inside, by JSONExtract or by a cast to JSON.
CREATE TABLE IF NOT EXISTS event (
  project_id UUID,
  event_id UUID,
  occurred_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  name LowCardinality(String),
  kind LowCardinality(String),
  activity_type LowCardinality(String),
  contact_id UUID,
  email_id UUID,
  campaign_id UUID,
  workflow_id UUID,
  data String CODEC(ZSTD(1)),
  INDEX event_contact contact_id TYPE bloom_filter GRANULARITY 1,
  INDEX event_email email_id TYPE bloom_filter GRANULARITY 1,
  INDEX event_campaign campaign_id TYPE bloom_filter GRANULARITY 1,
  INDEX event_activity activity_type TYPE set(100) GRANULARITY 1,
  INDEX event_by_name name TYPE bloom_filter GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(occurred_at)
ORDER BY (project_id, occurred_at, event_id)
SETTINGS ttl_only_drop_parts = 1;

-- A row per email: when each thing first happened to it, or the year 2299 if it has not. A minimum does not care
-- how often or in which order rows arrive. Bounces are those that the provider calls permanent.
-- The time inside of the id (UUIDv7) keeps emails of one time together; ClickHouse's own order of UUIDs does not.
CREATE TABLE IF NOT EXISTS email_state (
  project_id UUID,
  email_id UUID,
  campaign_id SimpleAggregateFunction(max, UUID),
  workflow_id SimpleAggregateFunction(max, UUID),
  sent_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  delivered_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  opened_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  clicked_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  bounced_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  complained_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  INDEX email_state_campaign campaign_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, UUIDv7ToDateTime(email_id), email_id);

CREATE MATERIALIZED VIEW IF NOT EXISTS email_state_view TO email_state AS
WITH
  toDateTime64('2299-12-31 23:59:59.999', 3, 'UTC') AS never,
  activity_type = 'email.bounced' AND JSONExtractString(data, 'bounceType') IN ('', 'Permanent') AS is_bounce
SELECT
  project_id,
  email_id,
  max(event.campaign_id) AS campaign_id,
  max(event.workflow_id) AS workflow_id,
  min(if(activity_type = 'email.sent', occurred_at, never)) AS sent_at,
  min(if(activity_type = 'email.delivered', occurred_at, never)) AS delivered_at,
  min(if(activity_type = 'email.opened', occurred_at, never)) AS opened_at,
  min(if(activity_type = 'email.clicked', occurred_at, never)) AS clicked_at,
  min(if(is_bounce, occurred_at, never)) AS bounced_at,
  min(if(activity_type = 'email.complained', occurred_at, never)) AS complained_at
FROM event
WHERE email_id != toUUID('00000000-0000-0000-0000-000000000000')
  AND activity_type IN
    ('email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.bounced', 'email.complained')
GROUP BY project_id, email_id;

-- A row per name of an event in a project.
CREATE TABLE IF NOT EXISTS event_name (
  project_id UUID,
  kind LowCardinality(String),
  name String,
  activity_type LowCardinality(String),
  first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (project_id, kind, name, activity_type);

CREATE MATERIALIZED VIEW IF NOT EXISTS event_name_view TO event_name AS
SELECT project_id, kind, name, activity_type, min(occurred_at) AS first_at, max(occurred_at) AS last_at
FROM event
GROUP BY project_id, kind, name, activity_type;
