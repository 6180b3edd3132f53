/** Every workflow of the bundle; a workflow's type is the name of its function. */
export { domainVerification } from './domain-verification.ts';
export { emailBatch } from './email-batch.ts';
export { sweep } from './sweep.ts';
