/**
 * What remains of an email's event data after its contact is erased: no personal data, no text, no link and
 * no provider id. The figures need the rest.
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
