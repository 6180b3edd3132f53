export const outcomes = [
  'delivered',
  'opened',
  'unopened',
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
  unopened: 'Not opened',
  clicked: 'Clicked',
  bounced: 'Bounced',
  complained: 'Reported as spam',
  unsubscribed: 'Unsubscribed',
  failed: 'Refused',
  skipped: 'Withheld',
  pending: 'Not sent yet',
};
