import type { JobKind } from './search-attributes.ts';

/** Deterministic ids, so that the server rejects a second start. */
export const workflowIds = {
  ofSubject: (kind: JobKind, subjectId: string) => `${kind}/${subjectId}`,
  campaignBatch: (campaignId: string, batch: number) => `campaign/${campaignId}/batch/${batch}`,
  workflowExecution: (workflowId: string, contactId: string, executionId: string) =>
    `workflow/${workflowId}/contact/${contactId}/${executionId}`,
};
