/** The names that each resource of the API has. */
export const contactFields = ['id', 'email', 'subscribed', 'snoozedUntil', 'data', 'createdAt', 'updatedAt'];

export const templateFields = [
  'id',
  'name',
  'description',
  'subject',
  'body',
  'from',
  'fromName',
  'replyTo',
  'type',
  'projectId',
  'createdAt',
  'updatedAt',
];

const counterFields = [
  'totalRecipients',
  'sentCount',
  'deliveredCount',
  'openedCount',
  'clickedCount',
  'bouncedCount',
];
const lateCounterFields = ['complainedCount', 'unsubscribedCount'];

export const campaignFields = [
  ...templateFields,
  'status',
  'audienceType',
  'audienceCondition',
  'segmentId',
  'scheduledFor',
  'sentAt',
  ...counterFields,
  ...lateCounterFields,
];

export const campaignStatFields = [
  ...counterFields,
  ...lateCounterFields,
  'deliveryRate',
  'openRate',
  'clickRate',
  'bounceRate',
  'complaintRate',
  'unsubscribeRate',
];

export const segmentFields = [
  'id',
  'name',
  'description',
  'type',
  'condition',
  'trackMembership',
  'memberCount',
  'projectId',
  'createdAt',
  'updatedAt',
];

export const workflowFields = [
  'id',
  'name',
  'description',
  'enabled',
  'triggerType',
  'triggerConfig.eventName',
  'allowReentry',
  'projectId',
  'version',
  'createdAt',
  'updatedAt',
];

export const stepFields = ['id', 'type', 'name', 'position', 'config', 'templateId'];
export const transitionFields = ['id', 'fromStepId', 'toStepId', 'branch'];

export const executionFields = [
  'id',
  'workflowId',
  'contactId',
  'status',
  'currentStepId',
  'context',
  'exitReason',
  'error',
  'startedAt',
  'completedAt',
];

export const domainFields = [
  'id',
  'domain',
  'status',
  'verified',
  'dkimTokens',
  'records.0.type',
  'records.0.name',
  'records.0.value',
  'records.0.purpose',
  'records.0.found',
  'projectId',
  'createdAt',
  'updatedAt',
];

export const jobFields = [
  'id',
  'type',
  'state',
  'progress',
  'result',
  'failedReason',
  'createdAt',
  'finishedAt',
];

export const userFields = ['id', 'email', 'name', 'emailVerified', 'createdAt'];

export const projectFields = [
  'id',
  'name',
  'role',
  'publicKey',
  'secretKey',
  'disabled',
  'disabledReason',
  'createdAt',
  'updatedAt',
];

/** What pages by number answer beside `data`. */
export const pageFields = ['total', 'page', 'pageSize', 'totalPages'];
/** What pages by cursor answer beside `data`. */
export const cursorFields = ['cursor', 'hasMore'];
