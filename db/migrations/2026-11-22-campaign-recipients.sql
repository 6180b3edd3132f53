-- Recipients of a campaign by what is rare. Only the update that records such an outcome writes the index.
create index emails_campaign_adverse on emails (campaign_id, contact_id)
  where campaign_id is not null and (bounced_at is not null or complained_at is not null or unsubscribed_at is not null);
