/**
 * `TEST`: previews a campaign to one address, subscribed or not, and changes no counter. `ACCOUNT`: sent by
 * the service to a user, of no project.
 */
export const emailSources = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST', 'ACCOUNT'] as const;

export type EmailSource = (typeof emailSources)[number];

export const projectEmailSources = emailSources.filter((source) => source !== 'ACCOUNT');

export type ProjectEmailSource = (typeof projectEmailSources)[number];

export const emailStatuses = [
  'QUEUED',
  'SENDING',
  'UNKNOWN',
  'SENT',
  'SUPPRESSED',
  'CANCELLED',
  'FAILED',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
] as const;

export type EmailStatus = (typeof emailStatuses)[number];

/**
 * An event moves an email only to a status of higher rank, so that late, repeated and out-of-order
 * notifications converge. SQL compares the same numbers. A delivery outranks FAILED and CANCELLED: the
 * provider's report overrides our intent.
 */
export const emailStatusRank: Readonly<Record<EmailStatus, number>> = {
  QUEUED: 0,
  SENDING: 10,
  UNKNOWN: 20,
  SENT: 30,
  SUPPRESSED: 40,
  CANCELLED: 50,
  FAILED: 60,
  DELIVERED: 70,
  OPENED: 80,
  CLICKED: 90,
  BOUNCED: 100,
  COMPLAINED: 110,
};
