-- What charts and totals count: a row each time that something happens to an email for the first time or a contact
-- opts out, and nothing else. Which event is the first one is decided in Postgres when it is journaled and stands in
-- its data; so counting rows is exact, in whatever order and however often they arrive: those with the same key are
-- equal, and one of them remains.
-- `unsubscribed` are contacts who were unsubscribed by anything but a bounce or complaint; `opted_out` are emails by
-- whose links somebody did that, or asked for a break.
-- No contact stands here, so that figures outlive the erasure of contacts and of events.
-- `key` stands for the event and what it counts for: as exact as the pair, and a third of the bytes to compare.
-- `made_at` is when the event was journaled.
CREATE TABLE IF NOT EXISTS figure (
  project_id UUID,
  occurred_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  key UInt64,
  figure Enum8(
    'sent' = 1, 'delivered' = 2, 'opened' = 3, 'clicked' = 4, 'bounced' = 5, 'complained' = 6, 'unsubscribed' = 7,
    'opted_out' = 8
  ),
  campaign_id UUID,
  made_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(occurred_at)
ORDER BY (project_id, occurred_at, key)
SETTINGS ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS figure_view TO figure AS
SELECT
  project_id,
  occurred_at,
  sipHash64(event_id, figure) AS key,
  arrayJoin(arrayFilter(name -> name != '', [
    multiIf(
      activity_type = 'email.sent', 'sent',
      activity_type = 'email.delivered', 'delivered',
      activity_type = 'email.clicked' AND JSONExtractBool(data, 'isFirst'), 'clicked',
      activity_type = 'email.bounced' AND JSONExtractString(data, 'bounceType') IN ('', 'Permanent'), 'bounced',
      activity_type = 'email.complained', 'complained',
      activity_type = 'contact.unsubscribed' AND JSONExtractString(data, 'reason') NOT IN ('bounce', 'complaint'),
        'unsubscribed',
      kind = 'activity' AND event.name = 'email.unsubscribed', 'opted_out',
      ''
    ),
    if(activity_type IN ('email.opened', 'email.clicked') AND JSONExtractBool(data, 'countsAsOpen'), 'opened', '')
  ])) AS figure,
  campaign_id,
  UUIDv7ToDateTime(event_id) AS made_at
FROM event
WHERE activity_type IN (
    'email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.bounced', 'email.complained',
    'contact.unsubscribed'
  ) OR (kind = 'activity' AND event.name = 'email.unsubscribed');
