/**
 * What stays of the data of an email's events when its contact is erased: nothing that names somebody, no text, no
 * link, and nothing by which the provider knows the email. The figures need the rest.
 */
export const keptEmailData = [
  'emailId',
  'templateId',
  'campaignId',
  'sourceType',
  'status',
  'reason',
  'bounceType',
  'opens',
  'clicks',
  'isFirst',
  'countsAsOpen',
] as const;
