export interface BillingEndInput {
  projectId: string;
}

export interface BillingEndActivities {
  /**
   * Ends the subscription of a deleted project and deletes its customer record. Fails while the payment processor is
   * down; idempotent.
   */
  endBilling(input: BillingEndInput): Promise<void>;
}

export const billingEndWorkflow = 'billingEnd';
