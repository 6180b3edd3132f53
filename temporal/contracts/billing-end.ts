/** Input of the workflow `billingEnd`. */
export interface BillingEndInput {
  /** Of a project that is gone. */
  projectId: string;
}

export interface BillingEndActivities {
  /**
   * Ends what a deleted project pays for, and forgets its customer. Fails while the payment processor is away;
   * idempotent.
   */
  endBilling(input: BillingEndInput): Promise<void>;
}

export const billingEndWorkflow = 'billingEnd';
