export interface EmailBatchInput {
  emailIds: string[];
  round: number;
  /** Whether the first try runs within the first workflow task. Only in runs from before the relay had a first try. */
  triesLocally?: boolean;
}

export interface DispatchEmailsResult {
  openIds: string[];
  retryInMs: number;
  /** Why emails stay open, without addresses: the last answer of the provider in this round. */
  reason?: string;
  sent: number;
  ended: number;
}

export interface EmailBatchActivities {
  /**
   * Claims due emails, hands them over and records the outcome. Idempotent: only the run that holds an email's claim
   * hands it over.
   */
  dispatchEmails(input: { emailIds: string[] }): Promise<DispatchEmailsResult>;
}

export const emailBatchWorkflow = 'emailBatch';
export const maxEmailsPerBatch = 50;
