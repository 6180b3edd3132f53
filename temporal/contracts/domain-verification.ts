export interface DomainVerificationInput {
  domainId: string;
}

/** `gone`: the domain was removed, nothing is left to watch. */
export type DomainVerificationOutcome = 'pending' | 'verified' | 'gone';

export interface DomainVerificationActivities {
  /** Asks the provider how the domain stands and records it; takes away what is left of one that is gone. Idempotent. */
  checkDomain(input: DomainVerificationInput): Promise<DomainVerificationOutcome>;
}

export const domainVerificationWorkflow = 'domainVerification';
