-- What became of each email is computed from the events when somebody asks: keeping `email_state` up to date cost a
-- fifth of every insert, and only analysts read it.
-- The table stays, empty: during an upgrade, processes of older versions set its TTL and delete from it. The view
-- does not take its name: a process that is late with migration 1 would create `email_state_view` on top of it, and
-- ClickHouse refuses every insert of events while a materialized view writes to a plain one.
DROP VIEW IF EXISTS email_state_view;

-- The limit protects large tables from being dropped by mistake.
TRUNCATE TABLE IF EXISTS email_state SETTINGS max_table_size_to_drop = 0;

-- A row per email: when each thing first happened to it, or the year 2299 if it has not. A minimum does not care
-- how often or in which order rows arrive. Bounces are those that the provider calls permanent.
CREATE VIEW IF NOT EXISTS email AS
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
