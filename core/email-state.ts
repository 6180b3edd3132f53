/**
 * `TEST`: previews a campaign to one address, subscribed or not, and changes no counter. `ACCOUNT`: sent by
 * the service to a user, of no project.
 */
export const emailSources = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST', 'ACCOUNT'] as const;

export type EmailSource = (typeof emailSources)[number];

export const projectEmailSources = emailSources.filter((source) => source !== 'ACCOUNT');

export type ProjectEmailSource = (typeof projectEmailSources)[number];

/**
 * By rank: an event moves an email only to a later one of these, so that late, repeated and out-of-order notifications
 * converge. A delivery outranks FAILED and CANCELLED: the provider's report overrides our intent.
 */
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
