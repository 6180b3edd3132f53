export const domainStatuses = ['pending', 'verified'] as const;
export type DomainStatus = (typeof domainStatuses)[number];

/** A domain not verified within this time is removed. */
export const domainClaimDays = 7;

export interface DomainCheck {
  verified: boolean;
  /** Keys of the records that DNS has (`recordKey`), also of those in a wrong place (`misplacements`). */
  found: string[];
  /** Values that DNS has instead, by key of the record. */
  others: Record<string, string[]>;
  dkimTokens: string[];
}
