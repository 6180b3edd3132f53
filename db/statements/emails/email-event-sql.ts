export const emailEventColumns =
  'id, project_id, name, kind, contact_id, email_id, campaign_id, workflow_id, data, occurred_at, hops';

/**
 * A value only while the email's contact has not been erased, which empties the address. Nothing erases what is written
 * later.
 *
 * @param email alias of a row of `emails`
 */
export const unlessErasedSql = (email: string, value: string) =>
  `case when ${email}.to_email <> '' then ${value} end`;

/**
 * A column that an email's event has only if the email went to the contact: what another recipient did with it is not
 * part of the contact's history. Erasing the contact does not find such events, so they must not contain its data.
 *
 * @param email alias of a row of `emails`
 * @param column about the contact, or rendered with its data
 */
export const onlyOfContactSql = (email: string, column: string) =>
  unlessErasedSql(email, `case when not ${email}.custom_recipient then ${email}.${column} end`);

/**
 * The data of an email's event, without nulls.
 *
 * @param email alias of a row of `emails`
 * @param more further entries, such as `'reason': reason`
 */
export const emailEventDataSql = (email: string, more: readonly string[] = []) =>
  `json_object(${[
    `'emailId': ${email}.id, 'messageId': ${unlessErasedSql(email, `${email}.message_id`)},
  'subject': ${onlyOfContactSql(email, 'subject')},
  'from': ${email}.from_email, 'recipientDomain': nullif(split_part(${email}.to_email, '@', 2), ''),
  'templateId': ${email}.template_id, 'campaignId': ${email}.campaign_id, 'sourceType': ${email}.source`,
    ...more,
  ].join(', ')} absent on null returning jsonb)`;
