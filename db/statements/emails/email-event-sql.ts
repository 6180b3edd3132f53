export const emailEventColumns =
  'id, project_id, name, kind, contact_id, email_id, campaign_id, workflow_id, data, occurred_at, hops';

/**
 * A column that an email's event has only if the email went to the contact: what someone else did with it is no part of
 * the contact's history. So an erasure of the contact does not find the event, which must name nothing of it.
 *
 * @param email alias of a row of `emails`
 * @param column about the contact, or rendered with its data
 */
export const onlyOfContactSql = (email: string, column: string) =>
  `case when not ${email}.custom_recipient then ${email}.${column} end`;

/**
 * The data of an email's event, without what is null.
 *
 * @param email alias of a row of `emails`
 * @param more further entries, such as `'reason': reason`
 */
export const emailEventDataSql = (email: string, more: readonly string[] = []) =>
  `json_object(${[
    `'emailId': ${email}.id, 'messageId': ${email}.message_id, 'subject': ${onlyOfContactSql(email, 'subject')},
  'from': ${email}.from_email, 'recipientDomain': nullif(split_part(${email}.to_email, '@', 2), ''),
  'templateId': ${email}.template_id, 'campaignId': ${email}.campaign_id, 'sourceType': ${email}.source`,
    ...more,
  ].join(', ')} absent on null returning jsonb)`;
