-- Recipients of a campaign whose email never left; each has a reason. The reason is in an index of the log already, so this one
-- turns no further update of an email into an index write.
update emails set reason = 'the campaign was cancelled'
where status = 'CANCELLED' and reason is null and campaign_id is not null and contact_id is not null;
create index emails_campaign_withheld on emails (campaign_id, contact_id)
  where campaign_id is not null and reason is not null;
