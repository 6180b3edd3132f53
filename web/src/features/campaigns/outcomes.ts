export const outcomes = [
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'failed',
  'skipped',
  'pending',
] as const;

export const outcomeLabels: Record<(typeof outcomes)[number], string> = {
  delivered: 'Delivered',
  opened: 'Opened',
  clicked: 'Clicked',
  bounced: 'Bounced',
  complained: 'Reported as spam',
  unsubscribed: 'Unsubscribed',
  failed: 'Refused',
  skipped: 'Withheld',
  pending: 'Not sent yet',
};
