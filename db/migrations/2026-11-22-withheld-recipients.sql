-- Recipients of a campaign that were never sent to; each has a reason. An index of the log is on the reason already, so
-- that no update of an email becomes an index write by this one.
update emails set reason = 'the campaign was cancelled'
where status = 'CANCELLED' and reason is null and campaign_id is not null and contact_id is not null;
create index emails_campaign_withheld on emails (campaign_id, contact_id)
  where campaign_id is not null and reason is not null;
