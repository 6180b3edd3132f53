/** A DNS record that the owner of a domain has to create. */
export interface DnsRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  /** Of MX records. */
  priority?: number;
  purpose: 'DKIM' | 'MAIL_FROM' | 'SPF' | 'DMARC' | 'OWNERSHIP' | 'INBOUND';
}

export interface DomainCheck {
  /** Whether emails may be sent from the domain. */
  verified: boolean;
  /** `recordKey` of the wanted records that were seen. */
  found: string[];
  /** Those that hold now; others than before when the provider had to start over. */
  dkimTokens: string[];
}

/** A domain as one project has added it: added again, or by another project, it has another id. */
export interface AddedDomain {
  id: string;
  domain: string;
  /** False for one that was verified before its TXT record was asked for. */
  needsProof?: boolean;
}

/** The provider has the domain already, and not from here. */
export class ForeignIdentity extends Error {}

/**
 * Sender domains at the provider, which knows a name once, however many projects have added it. Which of them it
 * belongs to says the TXT record of the project alone.
 */
export interface DomainIdentities {
  /**
   * Makes the domain known; calling it again, for any project, answers the same.
   * @throws ForeignIdentity
   */
  register(domain: AddedDomain): Promise<{ dkimTokens: string[] }>;
  wantedRecords(domain: AddedDomain, dkimTokens: readonly string[]): DnsRecord[];
  /**
   * How the domain stands right now; one that is not known any more is registered anew.
   * @throws Error when that can't be told: what was known before still holds
   */
  check(domain: AddedDomain, dkimTokens: readonly string[]): Promise<DomainCheck>;
  /** Forgets a domain that no project has any more; one that is not known is no error. */
  remove(domain: string): Promise<void>;
}

/** Names a record among those of its domain. */
export function recordKey(record: DnsRecord): string {
  return `${record.type} ${record.name} ${record.purpose}`;
}
