export interface InboundEmailInput {
  inboundId: string;
}

export interface InboundEmailActivities {
  /** Fetches the email unless it is stored, then parses and records it. Fails while it can't be fetched; idempotent. */
  receiveInboundEmail(input: InboundEmailInput): Promise<void>;
  /** Records an email that could not be fetched, from the provider's metadata; idempotent. */
  giveUpInboundEmail(input: InboundEmailInput): Promise<void>;
}

export const inboundEmailWorkflow = 'inboundEmail';
