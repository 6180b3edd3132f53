export interface DomainVerificationInput {
  domainId: string;
}

export type DomainVerificationOutcome = 'pending' | 'verified' | 'gone';

export interface DomainVerificationActivities {
  /** Checks the domain at the provider and records the result; cleans up after a removed domain. Idempotent. */
  checkDomain(input: DomainVerificationInput): Promise<DomainVerificationOutcome>;
}

export const domainVerificationWorkflow = 'domainVerification';
