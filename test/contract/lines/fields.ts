export const contactFields = [
  'id',
  'email',
  'subscribed',
  'snoozedUntil',
  'suppressionReason',
  'data',
  'createdAt',
  'updatedAt',
];

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

export const emailFields = [
  'id',
  'to',
  'toName',
  'from',
  'subject',
  'status',
  'reason',
  'source',
  'type',
  'contactId',
  'campaignId',
  'campaignName',
  'workflowId',
  'workflowName',
  'templateId',
  'templateName',
  'opens',
  'clicks',
  'createdAt',
  'sentAt',
  'deliveredAt',
  'openedAt',
  'clickedAt',
  'bouncedAt',
  'complainedAt',
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
  'temporalWorkflowId',
  'temporalUrl',
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

export const stepFields = ['id', 'type', 'name', 'position', 'config', 'templateId', 'updatedAt'];
export const transitionFields = ['id', 'fromStepId', 'toStepId', 'branch'];

export const executionFields = [
  'id',
  'workflowId',
  'contactId',
  'contactEmail',
  'status',
  'currentStepId',
  'context',
  'exitReason',
  'error',
  'startedAt',
  'completedAt',
  'temporalWorkflowId',
  'temporalUrl',
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
  'records.0.others',
  'records.0.misplaced',
  'checkedAt',
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
  'brandColor',
  'logoUrl',
  'footerAddress',
  'language',
  'createdAt',
  'updatedAt',
];

/** Fields beside `data` of pages by number. */
export const pageFields = ['total', 'page', 'pageSize', 'totalPages'];
/** Fields beside `data` of pages by cursor. */
export const cursorFields = ['cursor', 'hasMore'];
export const largePageFields = [...pageFields, 'totalAccuracy', 'cursor'];
