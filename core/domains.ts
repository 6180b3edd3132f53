export const domainStatuses = ['pending', 'verified'] as const;
export type DomainStatus = (typeof domainStatuses)[number];

/** A domain not verified within this time is removed. */
export const domainClaimDays = 7;

export interface DomainCheck {
  verified: boolean;
  found: string[];
  dkimTokens: string[];
}
