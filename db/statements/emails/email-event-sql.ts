export const emailEventColumns =
  'id, project_id, name, kind, contact_id, email_id, campaign_id, workflow_id, data, occurred_at, hops';

/**
 * Arguments for `jsonb_build_object`: the email's part of the event data.
 *
 * @param email alias of a row of `emails`
 */
export const emailEventDataSql = (email: string) => `
  'emailId', ${email}.id, 'messageId', ${email}.message_id, 'subject', ${email}.subject, 'from', ${email}.from_email,
  'recipientDomain', nullif(split_part(${email}.to_email, '@', 2), ''), 'templateId', ${email}.template_id,
  'campaignId', ${email}.campaign_id, 'sourceType', ${email}.source`;
