/** Input of the workflow `inboundEmail`. */
export interface InboundEmailInput {
  inboundId: string;
}

export interface InboundEmailActivities {
  /**
   * Fetches the email where it is not here, reads it, and lets the project know. Fails while it is not to be had;
   * idempotent.
   */
  receiveInboundEmail(input: InboundEmailInput): Promise<void>;
  /** Lets the project know of an email that could not be fetched, by what the provider said of it; idempotent. */
  giveUpInboundEmail(input: InboundEmailInput): Promise<void>;
}

export const inboundEmailWorkflow = 'inboundEmail';
