/** Every workflow of the bundle; a workflow's type is its function name. */
export { billingEnd } from './billing-end.ts';
export { campaign } from './campaign.ts';
export { campaignBatch } from './campaign-batch.ts';
export { contactBulk, contactImport } from './contact-jobs.ts';
export { contactSnooze } from './contact-snooze.ts';
export { domainVerification } from './domain-verification.ts';
export { emailBatch } from './email-batch.ts';
export { eventDeletion, projectErasure } from './erasures.ts';
export { inboundEmail } from './inbound-email.ts';
export { segmentComputation } from './segment-computation.ts';
export { segmentCount } from './segment-count.ts';
export { segmentRounds } from './segment-rounds.ts';
export { sweep } from './sweep.ts';
export { workflowExecution } from './workflow-execution.ts';
