/** What search attributes are named; registered at the server, all of type Keyword. */
export const searchAttributeNames = [
  'ProjectId',
  'CampaignId',
  'WorkflowDefinitionId',
  'ContactId',
  'JobKind',
] as const;

/** Values of the search attribute `JobKind`. */
export type JobKind =
  | 'campaign'
  | 'campaign-batch'
  | 'email-batch'
  | 'domain-verification'
  | 'event-deletion'
  | 'project-erasure'
  | 'billing-end'
  | 'inbound-email'
  | 'sweep'
  | 'segments'
  | 'contact-import'
  | 'contact-snooze'
  | 'contact-bulk'
  | 'workflow-execution';

/** Smaller goes first; the server knows 1 to 5. */
export const priorities = {
  transactional: 1,
  workflow: 2,
  inbound: 2,
  domain: 3,
  snooze: 3,
  campaign: 4,
  import: 5,
  deletion: 5,
  sweep: 5,
} as const;

/** Ids of workflows, so that "start once" is a property of the id. */
export const workflowIds = {
  emailBatch: (id: string) => `email-batch/${id}`,
  contactImport: (jobId: string) => `contact-import/${jobId}`,
  contactBulk: (jobId: string) => `contact-bulk/${jobId}`,
  contactSnooze: (contactId: string) => `contact-snooze/${contactId}`,
  campaign: (campaignId: string) => `campaign/${campaignId}`,
  campaignBatch: (campaignId: string, batch: number) => `campaign/${campaignId}/batch/${batch}`,
  domainVerification: (domainId: string) => `domain-verification/${domainId}`,
  eventDeletion: (deletionId: string) => `event-deletion/${deletionId}`,
  projectErasure: (erasureId: string) => `project-erasure/${erasureId}`,
  inboundEmail: (inboundId: string) => `inbound-email/${inboundId}`,
  billingEnd: (projectId: string) => `billing-end/${projectId}`,
  workflowExecution: (workflowId: string, contactId: string, executionId: string) =>
    `workflow/${workflowId}/contact/${contactId}/${executionId}`,
};
