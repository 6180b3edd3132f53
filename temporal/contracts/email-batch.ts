/** Input of the workflow `emailBatch`: ids only, at most 100. */
export interface EmailBatchInput {
  emailIds: string[];
  /** Rounds before a continue-as-new. */
  round: number;
}

export interface DispatchEmailsInput {
  emailIds: string[];
}

/** What one round of a batch came to. */
export interface DispatchEmailsResult {
  /** Emails whose outcome is still open, to be looked at again. */
  openIds: string[];
  /** When to look again; 0 when nothing is open. */
  retryInMs: number;
  sent: number;
  /** Refused, suppressed or cancelled: they will not leave. */
  ended: number;
}

export interface EmailBatchActivities {
  /**
   * Claims what is due, hands it over and records the outcome. Safe to run again at any time: an email is
   * handed over only by the run that holds its claim.
   */
  dispatchEmails(input: DispatchEmailsInput): Promise<DispatchEmailsResult>;
}

export const emailBatchWorkflow = 'emailBatch';
export const maxEmailsPerBatch = 100;

/** Where batches run, by a worker of their own: no execution of a workflow takes its slots, its thread or its tasks. */
export const emailTaskQueue = (taskQueue: string) => `${taskQueue}-emails`;
