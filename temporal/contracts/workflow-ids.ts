/** Deterministic ids, so that the server rejects a second start. */
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
